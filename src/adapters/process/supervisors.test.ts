import { realSupervisors } from "../../testing/real-supervisors.ts";
import { testSupervisors } from "../../testing/supervisor.suite.ts";

testSupervisors(realSupervisors);
