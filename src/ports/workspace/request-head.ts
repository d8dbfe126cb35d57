/** The newest commit of a change request that somebody else wrote. See `fetchRequest` in ports/workspace.ts. */
export interface RequestHead {
  /** The task that gets the commits. */
  readonly task: string;
  /** The ref of the remote. */
  readonly ref: string;
  /** The branch to merge into. */
  readonly target: string;
}

export interface FetchedRequest {
  readonly commit: string;
  /** The newest commit of the target branch that the change request contains. */
  readonly mergeBase: string;
}
