import type { ActionDocument, AuthDocument, ProviderDocument } from '../../integrations/declarative/document.ts';
import { toIntegration } from '../../integrations/declarative/to-integration.ts';
import type { AuthValue } from '../../integrations/definition.ts';
import type { JsonSchema } from '../../integrations/schema/value-schema.ts';

/** A secret with characters that are escaped in URLs and JSON. */
export const SECRET = 'tok/3n+s3cret "q"';
/** An account with a single secret. */
export const token: AuthValue = { type: 'SECRET_TEXT', secretText: 's3cret-token' };

const SAID = { type: 'object', properties: { said: { type: 'string' } } };

/** A provider whose only action is `say`. `changes` overrides parts of its document. */
export function echo(changes: Partial<ProviderDocument> & { output?: JsonSchema; shape?: Partial<ActionDocument> }) {
  const { output = SAID, shape = {}, ...how } = changes;
  const form = { text: '{input.text}', list: ['a', 1], none: '{input.none}' };
  return toIntegration('echo', {
    format: 1,
    displayName: 'Echo',
    description: 'For tests',
    categories: ['DEVELOPER_TOOLS'],
    auth: [{ key: 'token', type: 'SECRET_TEXT', displayName: 'Token' }],
    baseUrl: 'https://api.tasks.example',
    authenticate: 'bearer',
    actions: {
      say: {
        displayName: 'Say',
        description: 'For tests',
        category: 'write',
        input: { properties: { text: { type: 'string', default: 'hi' }, none: { type: 'string' } } },
        output,
        request: { method: 'POST', path: '/say', form },
        ...shape,
      },
    },
    ...how,
  });
}

/** Returns a list of one authentication method, with this type and these props. */
export const methodOf = (type: AuthDocument['type'], props?: JsonSchema): AuthDocument[] => [
  { key: 'one', type, displayName: 'One', ...(props && { props }) },
];
/** An account with user name and password. */
export const basicAuth: AuthValue = { type: 'BASIC_AUTH', username: 'ada', password: SECRET };
/** An account with an OAuth2 token. */
export const oauth: AuthValue = {
  type: 'OAUTH2',
  accessToken: SECRET,
  data: { team: 'Blue team', hook: { url: 'https://hooks.example/abcdef' } },
};
/** An account with the secret prop `pin` and the public prop `region`. */
export const custom: AuthValue = { type: 'CUSTOM_AUTH', props: { pin: SECRET, region: 'north' } };
const customProps = { required: ['pin', 'region'], properties: { pin: { type: 'string' }, region: { type: 'string', public: true } } };
/** Four account types, each with an account and the changes of `echo` for this type. */
export const accounts: [string, AuthValue, Partial<ProviderDocument>][] = [
  ['SECRET_TEXT', { type: 'SECRET_TEXT', secretText: SECRET }, {}],
  ['BASIC_AUTH', basicAuth, { auth: methodOf('BASIC_AUTH'), authenticate: 'basic' }],
  ['OAUTH2', oauth, { auth: methodOf('OAUTH2') }],
  ['CUSTOM_AUTH', custom, { auth: methodOf('CUSTOM_AUTH', customProps), authenticate: { headers: {} } }],
];
