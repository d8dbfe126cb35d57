import { createClient } from "../../../src/http/client/client.ts";

/** A cookie signs the person in. */
export const api = createClient({ url: "", token: null });
