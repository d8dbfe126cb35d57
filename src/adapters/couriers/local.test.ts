import { testCourier } from "../../testing/suites/courier.suite.ts";
import { createLocalCourier } from "./local.ts";

testCourier("local", { open: async (onError) => createLocalCourier({ onError }) });
