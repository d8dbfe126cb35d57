import { entropyOf } from "./entropy.ts";

/** Variables that always contain credentials. */
const WELL_KNOWN = new Set([
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "OPENAI_API_KEY",
  "CODEX_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "OPENROUTER_API_KEY",
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "GITLAB_TOKEN",
  "CI_JOB_TOKEN",
  "NPM_TOKEN",
  "NODE_AUTH_TOKEN",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AZURE_CLIENT_SECRET",
  "CLOUDFLARE_API_TOKEN",
  "DIGITALOCEAN_ACCESS_TOKEN",
  "DOCKER_PASSWORD",
  "HF_TOKEN",
  "JIRA_TOKEN",
  "PGPASSWORD",
  "PYPI_TOKEN",
  "SENTRY_AUTH_TOKEN",
  "SLACK_BOT_TOKEN",
  "SONAR_TOKEN",
  "TWINE_PASSWORD",
  "VAULT_TOKEN",
]);

const SECRET_NAME = /(?:^|_)(?:TOKEN|SECRET|KEY|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS|PAT)$/i;
const MIN_GUESSED_LENGTH = 12;
const MIN_TOKEN_LENGTH = 20;

/** Whether to redact a variable that no setting names. The name alone is not enough: `true` or a path is not a credential. */
export function isCredential(name: string, value: string): boolean {
  if (WELL_KNOWN.has(name)) return true;
  return (
    SECRET_NAME.test(name) && value.length >= MIN_GUESSED_LENGTH && !/^[~.]?\//.test(value) && entropyOf(value) >= 2.5
  );
}

/** Passwords in a URL, both encoded and decoded. A user name that is as long as a token counts as one. */
export function passwordsIn(address: string): readonly string[] {
  const [, user = "", password = ""] = /^[a-z][\w+.-]*:\/\/([^\s/?#:@]*)(?::([^\s/?#]+))?@/i.exec(address) ?? [];
  const written = [password, user.length >= MIN_TOKEN_LENGTH ? user : ""].filter((value) => value !== "");
  return [...new Set(written.flatMap((value) => [decode(value), value]))];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
