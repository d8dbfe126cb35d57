import { describe, expect, test } from "vitest";
import { findProjectPath, findRequestNumber, forgeAddress, isForgeRemote } from "./forge-address.ts";
import type { ForgeAddress } from "./forge-address.ts";
import { githubForge } from "../../adapters/forges/github/definition.ts";
import { gitlabForge } from "../../adapters/forges/gitlab/definition.ts";

const SITES = { github: githubForge.site, gitlab: gitlabForge.site };
type ForgeKind = keyof typeof SITES;

function at(kind: ForgeKind, url: string | null = null): ForgeAddress {
  const address = forgeAddress(SITES[kind], url);
  if (address === null) throw new Error(`no address in ${String(url)}`);
  return address;
}

describe("findRequestNumber", () => {
  test.each<readonly [string, ForgeKind, string | null, string, number | null]>([
    ["https://github.com/acme/shop/pull/12", "github", null, "acme/shop", 12],
    ["https://www.GitHub.com/Acme/Shop/pull/12/files?w=1#r3", "github", null, "acme/shop", 12],
    ["https://ghe.example.com:8443/acme/shop/pull/7", "github", "https://ghe.example.com:8443", "acme/shop", 7],
    ["https://gitlab.com/team/sub/shop/-/merge_requests/3/diffs", "gitlab", null, "team/sub/shop", 3],
    ["https://example.com/gitlab/team/shop/merge_requests/3", "gitlab", "https://example.com/gitlab", "team/shop", 3],
    // not a change request of this project
    ["https://github.com/acme/shop/pull/012", "github", null, "acme/shop", null],
    ["https://github.com/acme/shop/pull/0", "github", null, "acme/shop", null],
    ["https://github.com/acme/shop/pull/12abc", "github", null, "acme/shop", null],
    ["https://github.com/acme/shop/pulls", "github", null, "acme/shop", null],
    ["https://github.com/acme/shop/issues/12", "github", null, "acme/shop", null],
    ["https://github.com/acme/shop-two/pull/12", "github", null, "acme/shop", null],
    ["https://github.com/acme/shop/../other/pull/12", "github", null, "acme/other", null],
    ["https://github.com.evil.example/acme/shop/pull/12", "github", null, "acme/shop", null],
    ["https://gitlab.com/team/shop/-/merge_requests/3", "github", null, "team/shop", null],
    ["https://example.com/team/shop/-/merge_requests/3", "gitlab", "https://example.com/gitlab", "team/shop", null],
    ["ftp://github.com/acme/shop/pull/12", "github", null, "acme/shop", null],
    ["git@github.com:acme/shop/pull/12", "github", null, "acme/shop", null],
    ["12", "github", null, "acme/shop", null],
  ])("%s at %s (%s), project %s: %s", (...row) => {
    const [url, kind, base, project, number] = row;
    expect(findRequestNumber(url, { site: SITES[kind], address: at(kind, base), project })).toBe(number);
  });
});

describe("findProjectPath", () => {
  test.each<[string, ForgeKind, string | null, string | null]>([
    // https
    ["https://github.com/acme/shop", "github", null, "acme/shop"],
    ["https://github.com/acme/shop.git", "github", null, "acme/shop"],
    ["https://github.com/acme/shop.git/", "github", null, "acme/shop"],
    ["https://GitHub.com/Acme/Shop.js.git", "github", null, "Acme/Shop.js"],
    ["https://bob@github.com/acme/shop.git", "github", null, "acme/shop"],
    ["https://bob:secret@github.com/acme/shop.git", "github", null, "acme/shop"],
    ["https://gitlab.com/team/sub/deeper/shop.git", "gitlab", null, "team/sub/deeper/shop"],
    ["https://gitlab.example.com:8443/team/shop.git", "gitlab", "https://gitlab.example.com:8443/", "team/shop"],
    ["http://10.0.0.5/team/shop.git", "gitlab", "http://10.0.0.5", "team/shop"],
    ["https://example.com/gitlab/team/sub/shop.git", "gitlab", "https://example.com/gitlab/", "team/sub/shop"],
    ["https://example.com/tools/github/acme/shop", "github", "https://example.com/tools/github", "acme/shop"],
    ["https://gitlab.com/team%2Fshop.git", "gitlab", null, "team/shop"],
    // ssh
    ["git@github.com:acme/shop.git", "github", null, "acme/shop"],
    ["github.com:acme/shop", "github", null, "acme/shop"],
    ["git@gitlab.example.com:team/sub/shop.git", "gitlab", "https://gitlab.example.com", "team/sub/shop"],
    ["git@gitlab.example.com:/team/shop.git", "gitlab", "https://gitlab.example.com", "team/shop"],
    ["ssh://git@gitlab.example.com:2222/team/shop.git", "gitlab", "https://gitlab.example.com:8443", "team/shop"],
    ["[git@gitlab.example.com:2222]:team/shop.git", "gitlab", "https://gitlab.example.com", null],
    ["git@[gitlab.example.com:2222]:team/shop.git", "gitlab", "https://gitlab.example.com", "team/shop"],
    ["git+ssh://git@gitlab.com/team/shop", "gitlab", null, "team/shop"],
    ["ssh://git@ssh.github.com:443/acme/shop.git", "github", null, "acme/shop"],
    ["git@altssh.gitlab.com:team/shop.git", "gitlab", null, "team/shop"],
    ["git@ssh.gitlab.example.com:team/shop.git", "gitlab", "https://gitlab.example.com", "team/shop"],
    // ssh has no path prefix
    ["git@example.com:team/shop.git", "gitlab", "https://example.com/gitlab", "team/shop"],
    // an alias of ~/.ssh/config
    ["git@github-work:acme/shop.git", "github", null, "acme/shop"],
    // files
    ["/srv/git/shop.git", "gitlab", null, null],
    ["./shop.git", "gitlab", null, null],
    ["../team/shop", "gitlab", null, null],
    ["file:///srv/git/team/shop.git", "gitlab", null, null],
    ["C:\\git\\team\\shop", "gitlab", null, null],
    ["C:/git/shop", "gitlab", null, null],
    ["/srv/a:b/c", "gitlab", null, null],
    // other servers
    ["https://gitlab.com/team/shop.git", "github", null, null],
    ["https://gitlab.example.com/team/shop", "gitlab", null, null],
    ["https://gitlab.com.evil.example/team/shop", "gitlab", null, null],
    ["https://evilgitlab.com/team/shop", "gitlab", null, null],
    ["git@evilgitlab.com:team/shop", "gitlab", null, null],
    ["https://gitlab.com@evil.example/team/shop", "gitlab", null, null],
    ["https://example.com:444/team/shop", "gitlab", "https://example.com", null],
    ["https://example.com/gitlabs/team/shop", "gitlab", "https://example.com/gitlab", null],
    ["https://example.com/team/shop", "gitlab", "https://example.com/gitlab", null],
    // not a project
    ["https://github.com/acme", "github", null, null],
    ["https://github.com/acme/shop/tree/main", "github", null, null],
    ["https://gitlab.com/team/shop/-/merge_requests", "gitlab", null, null],
    ["https://gitlab.com/", "gitlab", null, null],
    ["https://gitlab.com/team//shop", "gitlab", null, null],
    ["https://gitlab.com/team/../../shop", "gitlab", null, null],
    ["https://gitlab.com/team/%2e%2e/shop", "gitlab", null, null],
    ["https://gitlab.com/team/shop?x=1", "gitlab", null, null],
    ["https://gitlab.com/team/shop#x", "gitlab", null, null],
    ["https://gitlab.com/team/sh%00op", "gitlab", null, null],
    ["https://gitlab.com/team/%zz", "gitlab", null, null],
    ["git@gitlab.com:team/shop.git\n--upload-pack=x", "gitlab", null, null],
    ["git@gitlab.com:~bob/shop", "gitlab", null, null],
    ["git@gitlab.com:../team/shop", "gitlab", null, null],
    ["ext::sh -c 'touch x'", "gitlab", null, null],
    ["--upload-pack=x:team/shop", "github", null, null],
    ["javascript:alert(1)//x", "github", null, null],
    ["https://", "github", null, null],
    ["", "github", null, null],
  ])("%j at %s %j is %j", (remote, kind, url, expected) => {
    expect(findProjectPath(remote, SITES[kind], at(kind, url))).toBe(expected);
  });
});

describe("forgeAddress", () => {
  test.each<[ForgeKind, string | null, string, string]>([
    ["github", null, "https://github.com", "https://api.github.com"],
    ["github", "https://www.github.com/", "https://github.com", "https://api.github.com"],
    ["github", "https://api.github.com", "https://github.com", "https://api.github.com"],
    ["github", "https://acme.ghe.com", "https://acme.ghe.com", "https://api.acme.ghe.com"],
    ["github", "https://git.example.com", "https://git.example.com", "https://git.example.com/api/v3"],
    ["github", "https://git.example.com/api/v3/", "https://git.example.com", "https://git.example.com/api/v3"],
    ["gitlab", null, "https://gitlab.com", "https://gitlab.com/api/v4"],
    ["gitlab", "https://Example.com:8443/git//", "https://example.com:8443/git", "https://example.com:8443/git/api/v4"],
    ["gitlab", "https://example.com/api/v4", "https://example.com", "https://example.com/api/v4"],
  ])("%s at %j", (kind, url, web, api) => {
    expect(at(kind, url)).toMatchObject({ web, api });
  });

  test.each(["ftp://example.com", "gitlab.example.com", "", "file:///x"])("rejects %j", (url) => {
    expect(forgeAddress(SITES.gitlab, url)).toBeNull();
  });
});

describe("isForgeRemote: the token may be sent to", () => {
  const address = at("gitlab", "https://example.com/gitlab");
  test.each([
    ["https://example.com/gitlab/team/shop.git", true],
    ["https://bob@example.com/gitlab/team/shop.git", true],
    // The URL already contains the user's own password.
    ["https://bob:own@example.com/gitlab/team/shop.git", false],
    ["http://example.com/gitlab/team/shop.git", false],
    ["https://example.com:8443/gitlab/team/shop.git", false],
    ["https://example.com/other/team/shop.git", false],
    ["https://example.com/gitlab/../other/shop.git", false],
    ["https://example.com.evil.example/gitlab/team/shop.git", false],
    ["https://example.com@evil.example/gitlab/team/shop.git", false],
    ["https://example.com\\@evil.example/gitlab/team/shop.git", false],
    ["git@example.com:team/shop.git", false],
    ["/srv/git/shop.git", false],
  ])("%j: %s", (remote, expected) => {
    expect(isForgeRemote(remote, address)).toBe(expected);
  });
});
