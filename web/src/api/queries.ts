import { keepPreviousData, QueryClient, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { type CallableRoute, type CallOptions, ProblemError, type Reply } from "../../../src/http/client/client.ts";
import { api } from "./client.ts";

export type { Reply };

type ReadRoute = Extract<CallableRoute, `GET ${string}`>;

export interface QuerySettings {
  /** False waits, for example until an id is known. */
  readonly enabled?: boolean;
  /** Whether events of the daemon load the data again. Default: true. */
  readonly live?: boolean;
  /** Shows the previous data while other parameters are loading. */
  readonly keepPrevious?: boolean;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity, // events of the daemon say when data is out of date
      retry: (count, error) => !(error instanceof ProblemError && error.status < 500) && count < 2,
      retryDelay: 500,
      refetchOnWindowFocus: false,
      networkMode: "always", // the daemon is on this machine, even without a network
    },
    mutations: { networkMode: "always" },
  },
});

/** Reads a route of the API, and again whenever an event says that its data may have changed. */
export function useApi<K extends ReadRoute>(
  route: K,
  options?: Omit<CallOptions<K>, "signal">,
  { enabled = true, live = true, keepPrevious = false }: QuerySettings = {},
): UseQueryResult<Reply<K>> {
  const query = useQuery({
    queryKey: [route, options ?? {}],
    // `call` takes the same options and a signal, which the compiler cannot see for any K.
    queryFn: async ({ signal }) => (await api.call(route, { ...options, signal } as never)) as unknown,
    enabled,
    meta: { live },
    ...(keepPrevious && { placeholderData: keepPreviousData }),
  });
  return query as UseQueryResult<Reply<K>>;
}
