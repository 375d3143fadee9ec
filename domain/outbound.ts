/** One request to an address that somebody else chose. Times out after `timeoutMs` in all, and reads at most `maxBytes` of decoded body. */
export interface OutboundRequest {
  url: string;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Default 30,000. */
  timeoutMs?: number;
  /** Default 1 MB. */
  maxBytes?: number;
  /** How many redirects may be followed, each one checked like the first address. Default `none`. */
  redirects?: 'none' | number;
  signal?: AbortSignal;
}

/** What the other side answered, whatever its status. Header names are in lower case; repeated headers are joined by a comma. */
export interface OutboundResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** The address that answered, after redirects. */
  url: string;
}

/** The guarded client: the only way to an address that a caller, a webhook or a third party named (design: security, outbound). */
export interface Outbound {
  /** Throws OutboundError when the address is not allowed, does not answer, or answers too much or too late. */
  request(request: OutboundRequest): Promise<OutboundResponse>;
  /** Throws VALIDATION_ERROR for what is wrong with an address as it is written: scheme, port, credentials, a private literal address. */
  checkUrl(url: string): void;
  close(): Promise<void>;
}
