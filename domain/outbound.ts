/**
 * A request to an address that a caller or third party chose. `timeoutMs` limits the whole request,
 * redirects included. `maxBytes` limits the decoded body of the response.
 */
export interface OutboundRequest {
  url: string;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Default 30,000. */
  timeoutMs?: number;
  /** Default 1 MB. */
  maxBytes?: number;
  /**
   * Whether an oversized body of a 4xx or 5xx response is truncated, in place of an error that
   * hides the status. Default false.
   */
  cutsFailures?: boolean;
  /**
   * Whether only status and headers are needed: the response resolves with them, with an empty
   * body. Default false.
   */
  discardsBody?: boolean;
  /**
   * Maximum number of redirects. Each target is checked like the first address. Another origin
   * receives no body, and only the headers for content negotiation. Default `none`.
   */
  redirects?: 'none' | number;
  /**
   * Called before a redirect is followed, with whether it leads to another host. An error ends the
   * request.
   */
  beforeRedirect?(url: URL, isOtherHost: boolean): Promise<void>;
  signal?: AbortSignal;
}

/**
 * The response, with any status. Header names are lower-case; repeated headers are joined by a
 * comma.
 */
export interface OutboundResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Whether the body was truncated. */
  isCut?: boolean;
  /** The final address, after redirects. */
  url: string;
}

/** A host and a port of a protocol other than HTTP. */
export interface OutboundTarget {
  /** A name or an IP address. */
  host: string;
  port: number;
  /** Whether the protocol encrypts what it sends. Plain text needs the setting for plain HTTP. */
  isEncrypted: boolean;
  signal?: AbortSignal;
}

/** A connected socket (`Socket` of node:net). */
export type OutboundSocket = NodeJS.ReadWriteStream & { destroy(error?: Error): unknown };

/**
 * A response whose body is read as it comes. The body is decoded, and ends with an OutboundError if
 * it is too large, too late or broken. Cancel it if it is not read to its end.
 */
export interface OutboundStream extends Omit<OutboundResponse, 'body' | 'isCut'> {
  body: ReadableStream<Uint8Array>;
}

/**
 * The guarded HTTP client: the only way to addresses that a caller, a webhook or a third party
 * named.
 */
export interface Outbound {
  /**
   * Public URL of this service. Some third parties require that a request names it. Undefined if it
   * is not known.
   */
  readonly serviceUrl?: string | undefined;
  /**
   * Throws OutboundError if the address is not allowed or does not respond, or if the response is
   * too large or too late.
   */
  request(request: OutboundRequest): Promise<OutboundResponse>;
  /**
   * Like `request`, but resolves when the headers are there; the body is a stream. `timeoutMs` also
   * limits the time until the end of the body.
   */
  stream(request: OutboundRequest): Promise<OutboundStream>;
  /**
   * Throws VALIDATION_ERROR for an invalid address: scheme, port, credentials, or a private IP
   * literal.
   */
  checkUrl(url: string): void;
  /**
   * Connects to a host under the rules for requests: its addresses are resolved once, checked, and
   * connected to. Any port of a public address is allowed. Throws OutboundError.
   */
  connect(target: OutboundTarget): Promise<OutboundSocket>;
  close(): Promise<void>;
}

/** A guarded client that also refuses the service's own addresses. */
export interface ServiceOutbound extends Outbound {
  /**
   * Throws the errors of `checkUrl`, and VALIDATION_ERROR for an address of the service itself.
   * Resolves the name only if the port is one of the service's.
   */
  checkDestination(url: string): Promise<void>;
}
