/**
 * The authorization and token endpoints of a third party (RFC 6749). Addresses may hold
 * `{account.prop}`, where the account has a host of its own.
 */
export interface OauthEndpoints {
  authorizationUrl: string;
  tokenUrl: string;
  scopes: readonly string[];
  /**
   * Whether the app at the third party configures the scopes, so that the consent URL requests
   * none. Default false.
   */
  scopesFromApp?: boolean;
  /** Default: a space. */
  scopeSeparator?: string;
  /** How the client authenticates at the token endpoint. Default `body`. */
  clientAuth?: 'body' | 'basic';
  /** Uses PKCE (RFC 7636). Default true. */
  pkce?: boolean;
  /** Further parameters of the authorization URL. */
  parameters?: Readonly<Record<string, string>>;
  /** Default: `tokenUrl`. */
  refreshUrl?: string;
  /** The issuer identifier (RFC 8414). Answers that name another one are refused (RFC 9207). */
  issuer?: string;
  /** Every answer names the issuer, so one that names none is refused. Default false. */
  namesIssuer?: boolean;
  /** The resource for which access is requested, in authorization and token requests (RFC 8707). */
  resource?: string;
  /** Requests for details of the account, once access is granted. */
  account?: OauthAccount;
}

/** A request made once with a new access token; its result is stored with the token. */
export interface OauthAccount {
  url: string;
  /** The prefix of the token in the Authorization header. Default `Bearer `. */
  prefix?: string;
  /**
   * If the answer is a list: selects its item. Maps props to paths into an item, whose values must
   * be equal. An empty prop matches every item.
   */
  match?: Readonly<Record<string, string>>;
  /** Paths into the answer or the item, by the names under which their values are kept. */
  data: Readonly<Record<string, string>>;
}
