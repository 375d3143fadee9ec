import { expect, test } from '@jest/globals';
import { consentUrl } from '../../infra/oauth/authorization-code.ts';

const flow = { clientId: 'app-1', redirectUri: 'https://gateway.example/connect/callback', codeVerifier: 'v'.repeat(43) };
const provider = { authorizationUrl: 'https://x.example/authorize', tokenUrl: 'https://x.example/token', scopes: ['a', 'b'] };

test("scopes are joined with the provider's separator, and omitted if the app defines them", () => {
  const scopeOf = (more: object) => new URL(consentUrl({ ...provider, ...more }, flow, 'state-1')).searchParams.get('scope');
  expect(scopeOf({})).toBe('a b');
  expect(scopeOf({ scopeSeparator: ',' })).toBe('a,b');
  expect(scopeOf({ scopesFromApp: true })).toBeNull();
});
