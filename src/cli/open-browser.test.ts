import { expect, it } from "vitest";
import { browserCommand, openBrowser, refuseBrowser } from "./open-browser.ts";

const DESKTOP = { interactive: true, env: { DISPLAY: ":0" } };

it("a browser is opened only from a terminal of a machine with a display", () => {
  expect(refuseBrowser({ ...DESKTOP, interactive: false })).toBe("This is not a terminal");
  expect(refuseBrowser({ interactive: true, env: { DISPLAY: ":0", SSH_CONNECTION: "10.0.0.1 5 10.0.0.2 22" } })).toBe(
    "This is a terminal of another machine",
  );
  expect(refuseBrowser(DESKTOP)).toBeNull();
});

it.runIf(process.platform === "linux")("on Linux, no display means no browser, unless one is named", () => {
  expect(refuseBrowser({ interactive: true, env: {} })).toBe("This machine has no display");
  expect(refuseBrowser({ interactive: true, env: { BROWSER: "lynx" } })).toBeNull();
  expect(refuseBrowser({ interactive: true, env: { WAYLAND_DISPLAY: "wayland-0" } })).toBeNull();
});

it.each([
  [{}, "linux", ["xdg-open"]],
  [{}, "darwin", ["open"]],
  [{ WSL_DISTRO_NAME: "Debian" }, "linux", ["cmd.exe", "/c", "start", ""]],
  [{ BROWSER: "firefox" }, "linux", ["firefox"]],
  // Not a plain program: a list, or a shell command.
  [{ BROWSER: "firefox:chromium" }, "linux", ["xdg-open"]],
  [{ BROWSER: "firefox %s; rm -rf ~" }, "linux", ["xdg-open"]],
] as const)("with %j on %s, the browser is started by %j", (env, platform, command) => {
  expect(browserCommand(env, platform)).toEqual(command);
});

it("a missing or failing program is reported", async () => {
  expect(await openBrowser("http://127.0.0.1:1/", { ...process.env, BROWSER: "/no/such/browser" })).toContain(
    "missing",
  );
  expect(await openBrowser("http://127.0.0.1:1/", { ...process.env, BROWSER: "false" })).toBe(
    "false ended with code 1",
  );
  expect(await openBrowser("http://127.0.0.1:1/", { ...process.env, BROWSER: "true" })).toBeNull();
});
