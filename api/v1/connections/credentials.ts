import type { Credentials } from '../../../commands/connections/connection-credentials.ts';
import type { NewConnection } from './schema.ts';

/** Returns the credentials in a request body. */
export function credentialsOf(body: NewConnection): Credentials {
  switch (body.type) {
    case 'SECRET_TEXT':
      return { type: body.type, secretText: body.secretText };
    case 'BASIC_AUTH':
      return { type: body.type, username: body.username, password: body.password, ...(body.props && { props: body.props }) };
    case 'CUSTOM_AUTH':
      return { type: body.type, props: body.props };
    case 'OAUTH2':
    case 'PLATFORM_OAUTH2': {
      const { type, accessToken, refreshToken, tokenType, scope_oauth: scope, data = {} } = body;
      return { type, accessToken, refreshToken, tokenType, scope, data };
    }
  }
}

/** Returns when the credentials expire, or null if the body has no `expiresIn`. */
export function expiryOf(body: NewConnection, now: Date): Date | null {
  return 'expiresIn' in body && body.expiresIn !== undefined ? new Date(now.getTime() + body.expiresIn * 1000) : null;
}
