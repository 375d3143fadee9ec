import { READ_METHODS } from '../middleware/assert-method.ts';

/** Paths of the endpoints below PLATFORM_URL. */
export const OAUTH_PATHS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
  device_authorization: '/oauth/device-authorization',
  code_verification: '/oauth/device',
} as const;

/** Name of the cookie for the session that the OAuth library has with a browser. */
export const SESSION_COOKIE = 'oauth_session';

/** An endpoint of the authorization server. */
export interface OAuthEndpoint {
  path: string;
  methods: readonly string[];
  /**
   * Whether web pages of every origin may call the endpoint. True for endpoints that use no cookie.
   */
  isShared: boolean;
}

const POST = ['POST'];

const ENDPOINTS: readonly OAuthEndpoint[] = [
  { path: OAUTH_PATHS.authorization, methods: READ_METHODS, isShared: false },
  { path: OAUTH_PATHS.token, methods: POST, isShared: true },
  { path: OAUTH_PATHS.registration, methods: POST, isShared: true },
  { path: OAUTH_PATHS.revocation, methods: POST, isShared: true },
  { path: OAUTH_PATHS.jwks, methods: READ_METHODS, isShared: true },
  { path: OAUTH_PATHS.device_authorization, methods: POST, isShared: true },
  { path: OAUTH_PATHS.code_verification, methods: [...READ_METHODS, 'POST'], isShared: false },
];

/** Pages that continue a flow after sign-in and consent. */
const RESUMED = [OAUTH_PATHS.authorization, OAUTH_PATHS.code_verification].map(
  (path): OAuthEndpoint => ({ path: `${path}/`, methods: READ_METHODS, isShared: false }),
);

/** Returns undefined for a path without an endpoint. */
export function endpointAt(path: string): OAuthEndpoint | undefined {
  return (
    ENDPOINTS.find((one) => one.path === path) ??
    RESUMED.find((one) => /^[^/]+$/.test(path.slice(one.path.length)) && path.startsWith(one.path))
  );
}
