/**
 * The endpoints of a third party (RFC 6749). Addresses contain `{account.prop}` if each account has
 * its own host.
 */
export interface OauthEndpoints {
  authorizationUrl: string;
  tokenUrl: string;
  scopes: readonly string[];
  /**
   * Whether the scopes are configured at the third party, so that the consent URL requests none.
   * Default false.
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
   * The issuer identifier (RFC 8414). A response that names another issuer is refused (RFC 9207).
   */
  issuer?: string;
  /** Whether a response without an issuer is refused. Default false. */
  namesIssuer?: boolean;
  /** The resource to request access for (RFC 8707). */
  resource?: string;
  account?: OauthAccount;
}

/** A request that is sent once with a new access token. */
export interface OauthAccount {
  url: string;
  /** The prefix of the token in the Authorization header. Default `Bearer `. */
  prefix?: string;
  /**
   * Maps props to paths into the answer, or into an item if the answer is a list. Only an answer or
   * item with the values of these props fits. A prop without a value is ignored.
   */
  match?: Readonly<Record<string, string>>;
  /** Maps the names of stored values to paths into the answer or the item that fits. */
  data: Readonly<Record<string, string>>;
}
