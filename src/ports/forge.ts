import type { ForgeSettings } from "../core/settings.ts";

/** Where change requests live. Small on purpose: it is no client of a forge's whole API. */
export interface Forge {
  readonly kind: ForgeSettings["kind"];
  /** Creates the change request for a pushed branch, or finds the open one. Resolves only when the forge returned its URL. */
  publish(params: PublishParams): Promise<PublishedChange>;
}

export interface PublishParams {
  readonly branch: string;
  readonly target: string;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
}

export interface PublishedChange {
  readonly url: string;
  readonly number: number;
}
