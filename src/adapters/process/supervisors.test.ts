import { realSupervisors } from "../../testing/real-supervisors.ts";
import { testPrepared } from "../../testing/suites/supervisor/supervisor-prepared.suite.ts";
import { testProgress } from "../../testing/suites/supervisor/supervisor-progress.suite.ts";
import { testSupervisors } from "../../testing/suites/supervisor/supervisor.suite.ts";

testSupervisors(realSupervisors);
testPrepared(realSupervisors);
testProgress(realSupervisors);
