import { expect, test } from '@jest/globals';
import { supabaseKey } from '../../../integrations/providers/code/supabase.ts';

const headersWith = (apiKey: string) => {
  const asked = { method: 'GET', url: new URL('https://abcdefgh.supabase.co/rest/v1/people'), headers: { prefer: 'x' } };
  return supabaseKey(asked, { type: 'CUSTOM_AUTH', props: { apiKey } }).headers;
};

test('only a JSON Web Token is also sent as a bearer token', () => {
  expect(headersWith('eyJh.eyJz.c2ln')).toEqual({ prefer: 'x', apikey: 'eyJh.eyJz.c2ln', authorization: 'Bearer eyJh.eyJz.c2ln' });
  expect(headersWith('sb_secret_x1')).toEqual({ prefer: 'x', apikey: 'sb_secret_x1' });
});
