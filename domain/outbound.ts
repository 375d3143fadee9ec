/**
 * A request to an address that a caller or third party chose. Redirects count for `timeoutMs`.
 * `maxBytes` limits the decoded body.
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
   * Whether an oversized body of a 4xx or 5xx response is truncated. Otherwise the request fails.
   * Default false.
   */
  cutsFailures?: boolean;
  /** Whether the received body is dropped, so that `body` is empty. Default false. */
  discardsBody?: boolean;
  /**
   * Maximum number of redirects. Another origin gets only headers that cannot contain a credential.
   * A redirect that would send the body to another origin fails. Default `none`: a redirect is
   * returned.
   */
  redirects?: 'none' | number;
  /** Called before a redirect is followed. If it throws, the request fails. */
  beforeRedirect?(url: URL, isOtherHost: boolean): Promise<void>;
  signal?: AbortSignal;
}

/**
 * A response with any status. Header names are in lower case; repeated values are joined with a
 * comma.
 */
export interface OutboundResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  isCut?: boolean;
  /** The URL after redirects. */
  url: string;
}

/** The address of a server whose protocol is not HTTP. */
export interface OutboundTarget {
  host: string;
  port: number;
  /** Whether the protocol is encrypted. If false, the setting that allows plain HTTP is needed. */
  isEncrypted: boolean;
  signal?: AbortSignal;
}

/** A connected socket (`Socket` of node:net). */
export type OutboundSocket = NodeJS.ReadWriteStream & { destroy(error?: Error): unknown };

/**
 * A response whose body is a stream of decoded bytes. The stream can fail with an OutboundError.
 * Cancel the stream unless you read it to its end.
 */
export interface OutboundStream extends Omit<OutboundResponse, 'body' | 'isCut'> {
  body: ReadableStream<Uint8Array>;
}

/**
 * The guarded HTTP client, for every request to an address that a caller or a third party chose.
 */
export interface Outbound {
  /**
   * The public URL of this service, which some third parties require in requests. Undefined if the
   * URL is not known.
   */
  readonly serviceUrl?: string | undefined;
  /** Throws OutboundError. */
  request(request: OutboundRequest): Promise<OutboundResponse>;
  /**
   * Like `request`, but resolves when the headers have arrived. `timeoutMs` also limits the body.
   */
  stream(request: OutboundRequest): Promise<OutboundStream>;
  /** Checks a URL by its text, without a lookup. Throws VALIDATION_ERROR. */
  checkUrl(url: string): void;
  /**
   * Connects under the rules for requests, but to any port. Uses only the addresses that were
   * checked. Throws OutboundError.
   */
  connect(target: OutboundTarget): Promise<OutboundSocket>;
  close(): Promise<void>;
}

/** A guarded client that also refuses the service's own addresses. */
export interface ServiceOutbound extends Outbound {
  /** Throws the errors of `checkUrl`, and VALIDATION_ERROR for an address of the service itself. */
  checkDestination(url: string): Promise<void>;
}
