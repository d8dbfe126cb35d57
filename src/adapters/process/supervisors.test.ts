import { realSupervisors } from "../../testing/real-supervisors.ts";
import { testPrepared } from "../../testing/supervisor-prepared.suite.ts";
import { testSupervisors } from "../../testing/supervisor.suite.ts";

testSupervisors(realSupervisors);
testPrepared(realSupervisors);
