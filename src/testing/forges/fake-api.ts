import type { ForgeWorld } from "./forge-world.ts";

export interface ApiRequest {
  readonly method: string;
  /** Path below the API's root, still encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly token: string | null;
}

export interface ApiResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type FakeApi = (world: ForgeWorld, request: ApiRequest) => Promise<ApiResponse>;

export interface Page<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly next: number | null;
}

export function paginate<T>(
  { maxPerPage: mostPerPage }: ForgeWorld,
  { query }: ApiRequest,
  items: readonly T[],
): Page<T> {
  const size = Math.min(mostPerPage, Number(query.get("per_page") ?? 30));
  const page = Number(query.get("page") ?? 1);
  const next = page * size < items.length ? page + 1 : null;
  return { items: items.slice((page - 1) * size, page * size), page, next };
}

/** URL of a page in a `Link` header. */
export function pageLink(root: string, { path, query }: ApiRequest, page: number): string {
  const search = new URLSearchParams(query);
  search.set("page", String(page));
  return `<${root}${path}?${search.toString()}>; rel="next"`;
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
