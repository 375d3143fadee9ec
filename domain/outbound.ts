/**
 * A request to an address that a caller or third party chose. `timeoutMs` limits the whole request,
 * including redirects. `maxBytes` limits the decoded body of the response.
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
   * Whether an oversized body of a 4xx or 5xx response is truncated. Otherwise the request fails,
   * and the caller does not get the status. Default false.
   */
  cutsFailures?: boolean;
  /**
   * Whether the caller needs only the status and the headers. The response then has an empty body.
   * Default false.
   */
  discardsBody?: boolean;
  /**
   * Maximum number of redirects. Each target is checked like the first address. Another origin gets
   * only headers that cannot contain a credential. The request fails if a body would go to another
   * origin. Default `none`: a redirect is returned like any other response.
   */
  redirects?: 'none' | number;
  /**
   * Called before a redirect is followed. `isOtherHost` says whether the redirect leads to another
   * host. If the function throws, the request fails.
   */
  beforeRedirect?(url: URL, isOtherHost: boolean): Promise<void>;
  signal?: AbortSignal;
}

/**
 * A response with any status. Header names are in lower case. The values of a repeated header are
 * joined with a comma.
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
  /**
   * Whether the protocol encrypts the connection. If not, the setting that allows plain HTTP must
   * be on.
   */
  isEncrypted: boolean;
  signal?: AbortSignal;
}

/** A connected socket (`Socket` of node:net). */
export type OutboundSocket = NodeJS.ReadWriteStream & { destroy(error?: Error): unknown };

/**
 * A response whose body is a stream. The body is decoded. If it is too large, too late or broken,
 * the stream fails with an OutboundError. Cancel the stream unless you read it to its end.
 */
export interface OutboundStream extends Omit<OutboundResponse, 'body' | 'isCut'> {
  body: ReadableStream<Uint8Array>;
}

/**
 * The guarded HTTP client. Every request to an address that a caller or a third party chose must go
 * through it.
 */
export interface Outbound {
  /**
   * Public URL of this service, because some third parties require that requests name it. Undefined
   * if the URL is not known.
   */
  readonly serviceUrl?: string | undefined;
  /**
   * Throws OutboundError if the address is not allowed or does not respond, or if the response is
   * too large or too late.
   */
  request(request: OutboundRequest): Promise<OutboundResponse>;
  /**
   * Like `request`, but resolves when the headers have arrived. The body is a stream. `timeoutMs`
   * also limits the time until the end of the body.
   */
  stream(request: OutboundRequest): Promise<OutboundStream>;
  /**
   * Checks a URL by its text. Throws VALIDATION_ERROR if the URL is too long or malformed, if its
   * scheme or port is not allowed, if it contains credentials, or if its host is a loopback name or
   * an IP literal that is not public.
   */
  checkUrl(url: string): void;
  /**
   * Connects to a host under the rules for requests. The addresses of the host are resolved once
   * and checked. The connection uses only these addresses. Every port of a public address is
   * allowed. Throws OutboundError.
   */
  connect(target: OutboundTarget): Promise<OutboundSocket>;
  close(): Promise<void>;
}

/** A guarded client that also refuses the service's own addresses. */
export interface ServiceOutbound extends Outbound {
  /**
   * Throws the errors of `checkUrl`. Also throws VALIDATION_ERROR for an address of the service
   * itself. Resolves the host name only if the port is a port of the service.
   */
  checkDestination(url: string): Promise<void>;
}
