/** `filters` is null on kernels before 5.9, which do not count them. */
export function readSeccomp(status: string): { readonly mode: number; readonly filters: number | null } {
  const read = (name: string) => new RegExp(`^${name}:\\s+(\\d+)$`, "m").exec(status)?.[1];
  const filters = read("Seccomp_filters");
  return { mode: Number(read("Seccomp") ?? 0), filters: filters === undefined ? null : Number(filters) };
}
