/**
 * The authorization and token endpoints of a third party (RFC 6749). If each account has its own
 * host, addresses contain `{account.prop}`.
 */
export interface OauthEndpoints {
  authorizationUrl: string;
  tokenUrl: string;
  scopes: readonly string[];
  /**
   * Whether the scopes are configured in the app at the third party. The consent URL then requests
   * no scopes. Default false.
   */
  scopesFromApp?: boolean;
  /** Default: a space. */
  scopeSeparator?: string;
  /** How the client authenticates at the token endpoint. Default `body`. */
  clientAuth?: 'body' | 'basic';
  /** Whether to use PKCE (RFC 7636). Default true. */
  pkce?: boolean;
  /** Further parameters of the authorization URL. */
  parameters?: Readonly<Record<string, string>>;
  /** Default: `tokenUrl`. */
  refreshUrl?: string;
  /**
   * The issuer identifier (RFC 8414). An authorization response that names another issuer is
   * refused (RFC 9207).
   */
  issuer?: string;
  /**
   * Whether every authorization response names the issuer. A response without an issuer is then
   * refused. Default false.
   */
  namesIssuer?: boolean;
  /** The resource to request access for, in authorization and token requests (RFC 8707). */
  resource?: string;
  /** A request for details of the account. It is sent after access was granted. */
  account?: OauthAccount;
}

/** A request that is sent once with a new access token. Its result is stored with the token. */
export interface OauthAccount {
  url: string;
  /** The prefix of the token in the Authorization header. Default `Bearer `. */
  prefix?: string;
  /**
   * Selects an item if the answer is a list. Maps each prop to a path into the item. The prop's
   * value must equal the value at the path. An empty prop matches every item.
   */
  match?: Readonly<Record<string, string>>;
  /**
   * The values to store. Maps the name of each value to a path into the answer, or into the
   * selected item.
   */
  data: Readonly<Record<string, string>>;
}
