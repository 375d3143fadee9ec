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
  /** Whether the body of an answer of 4xx or 5xx that is too large is cut, instead of a failure that hides the status. Default false. */
  cutsFailures?: boolean;
  /** Whether only the status and the headers are wanted: the answer is there as soon as they are, and its body is empty. Default false. */
  discardsBody?: boolean;
  /**
   * How many redirects may be followed, each one checked like the first address. Another origin gets no body and, of the headers, only
   * those that say what kind of answer is wanted. Default `none`.
   */
  redirects?: 'none' | number;
  /** Asked before a redirect to another host is followed; what it throws ends the request. */
  beforeRedirect?(url: URL): Promise<void>;
  signal?: AbortSignal;
}

/** What the other side answered, whatever its status. Header names are in lower case; repeated headers are joined by a comma. */
export interface OutboundResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Whether the body goes on beyond what was read. */
  isCut?: boolean;
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
