import { previewInput } from '../../../domain/redaction/preview-input.ts';

const CARD = '4111 1111 1111 1111';

test.each<[string, unknown, unknown]>([
  ['a query', 'https://x/?api_key=SECRETSECRET1&password=hunter2', 'https://x/?api_key=[redacted]&password=[redacted]'],
  ['a query with innocent parts', 'https://x/?q=cats&token=S3CRET&page=2#top', 'https://x/?q=cats&token=[redacted]&page=2#top'],
  ['a fragment', 'https://x/#access_token=S3CRET&state=1', 'https://x/#access_token=[redacted]&state=1'],
  ['an escaped name', 'https://x/?pass%77ord=S3CRET', 'https://x/?pass%77ord=[redacted]'],
  [
    'a URL in a URL',
    'https://x/?to=https%3A%2F%2Fy%3Ftoken%3DS3CRET%26a%3D1',
    'https://x/?to=https%3A%2F%2Fy%3Ftoken%3D[redacted]%26a%3D1',
  ],
  ['a form', 'grant_type=password&client_secret=S3CRET', 'grant_type=password&client_secret=[redacted]'],
  ['a form with brackets', 'user[name]=Ada&user[password]=S3CRET', 'user[name]=Ada&user[password]=[redacted]'],
  ['cookies', 'theme=dark; session_id=S3CRET; lang=en', 'theme=dark; session_id=[redacted]; lang=en'],
  ['a header', 'Accept: text/html\nX-Api-Key: S3 CRET\nHost: x', 'Accept: text/html\nX-Api-Key: [redacted]\nHost: x'],
  ['settings', 'HOST=db\nDB_PASSWORD="S3 \\" CRET"\nPORT=1', 'HOST=db\nDB_PASSWORD="[redacted]"\nPORT=1'],
  ['YAML', 'user: ada\n  password: S3 CRET\nport: 1', 'user: ada\n  password: [redacted]\nport: 1'],
  ['a sentence', 'the api key: S3CRET works', 'the api key: [redacted] works'],
  ['XML', '<u><Password>S3CRET</Password></u>', '<u><Password>[redacted]</Password></u>'],
  ['a connection string', 'AccountName=a;AccountKey=S3CRET==;End=x', 'AccountName=a;AccountKey=[redacted];End=x'],
  ['code', "connect({ password: 'S3CRET', port: 1 })", "connect({ password: '[redacted]', port: 1 })"],
  ['JSON', '{ "user": "ada", "password": "S3CRET" }', '{"user":"ada","password":"[redacted]"}'],
  ['a list in JSON', '[{"token":"S3CRET"},7]', '[{"token":"[redacted]"},7]'],
  ['JSON in JSON', JSON.stringify({ a: JSON.stringify({ pin: 'S3CRET' }) }), JSON.stringify({ a: '{"pin":"[redacted]"}' })],
  ['JSON with escapes in a name', '{"pass\\u0077ord":"S3CRET"}', '{"password":"[redacted]"}'],
  [
    'JSON with a repeated name',
    '{"password":"S3CRET","x":{"pin":"S3CRET"},"x":1}',
    '{"password":"[redacted]","x":{"pin":"[redacted]"},"x":1}',
  ],
  ['JSON in which a later value replaces a secret', '{"x":{"password":"S3CRET"},"x":1}', '{"x":{"password":"[redacted]"},"x":1}'],
  ['truncated JSON', '{"a":1,"password":"S3CRET"', '{"a":1,"password":"[redacted]"'],
  ['JSON within words', 'body: {\\"password\\":\\"S3CRET\\"}', 'body: {\\"password\\":\\"[redacted]\\"}'],
  ['a card', `pay with ${CARD} please`, 'pay with [redacted] please'],
  ['a card without spaces', 'n4111111111111111,', 'n[redacted],'],
  ['a card with dashes', '3782-822463-10005', '[redacted]'],
  ['a card behind a number', `1 ${CARD}`, '1 [redacted]'],
  ['two cards', `${CARD} ${CARD}`, '[redacted] [redacted]'],
  ['a card as a number', 4111111111111111, '[redacted]'],
  ['a token with the prefix svc_', `say svc_${'S3CRET'.repeat(5)}`, 'say [redacted]'],
  ['a URL with a password', 'https://ada:S3CRET@x/', 'https://ada:[redacted]@x/'],
  ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nS3CRET', '[redacted]'],
])('only the secret part of a text is hidden: %s', (_, value, shown) => {
  expect(previewInput({ value })).toEqual({ preview: { value: shown }, redactedPaths: ['value'] });
});

test.each([
  ['Devanagari', 0x966],
  ['Chakma', 0x11136],
  ['Eastern Pwo Karen', 0x116da],
  ['Ol Onal', 0x1e5f1],
])('a card in the digits of another script is hidden: %s', (_, zero) => {
  const value = Array.from('4111111111111111', (digit) => String.fromCodePoint(zero + Number(digit))).join('');
  expect(previewInput({ value })).toEqual({ preview: { value: '[redacted]' }, redactedPaths: ['value'] });
});

test.each<[string, unknown]>([
  ['a URL', 'https://example.com/path?q=cats&page=2#top'],
  ['a sentence', 'Dear Ada: the author = the monkey; key=7, text: hello'],
  ['a time', '2026-11-20T10:30:00.000Z'],
  ['a time as a number', 1_795_000_000_000],
  ['a phone number', '+49 151 1234 5678 90'],
  ['digits that are no card', '4111 1111 1111 1112'],
  ['too many digits', '41111111111111114111111111111111'],
  ['a UUID', '41111111-1111-4111-8111-111111111111'],
  ['a hash', 'c0ffee4111111111111111c0ffee4111111111111111c0ffee'],
  ['JSON', '{ "a": [1,  2] }'],
  ['an empty parameter', 'https://x/?password=&q=1'],
  ['text that is not JSON', '[not json'],
  ['a list of names', ['password', 'email']],
  ['numbers', [0, -1.5, 1e21]],
  ['yes, no and nothing', [true, false, null]],
])('a value without secrets stays unchanged: %s', (_, value) => {
  expect(previewInput({ value })).toEqual({ preview: { value }, redactedPaths: [] });
});

test.each<[string, string, string]>([
  [
    'a repeated key',
    '{"amount":1000000,"to":"mallory","amount":1,"to":"alice","token":"S3CRET"}',
    '{"amount":1000000,"to":"mallory","amount":1,"to":"alice","token":"[redacted]"}',
  ],
  ['a repeated nested key', '[{"a":[{"n":1,"n":2}]}, {"pin":"S3CRET"}]', '[{"a":[{"n":1,"n":2}]}, {"pin":"[redacted]"}]'],
  ['a repeated key in two spellings', '{"n":1,"\\u006e":2,"pin":"S3CRET"}', '{"n":1,"\\u006e":2,"pin":"[redacted]"}'],
  ['a long number', '{"n":12345678901234567890123,"token":"S3CRET"}', '{"n":12345678901234567890123,"token":"[redacted]"}'],
  ['a number that overflows', '{"e":1e999,"token":"S3CRET"}', '{"e":1e999,"token":"[redacted]"}'],
])('JSON is shown as written if parsing would lose information: %s', (_, value, shown) => {
  expect(previewInput({ value })).toEqual({ preview: { value: shown }, redactedPaths: ['value'] });
});

test('JSON that loses nothing by parsing is shown as its parsed value', () => {
  const { preview } = previewInput({ value: '{ "caf\\u00e9": "a\\/b",\n "token": "S3CRET" }' });
  expect(preview).toEqual({ value: '{"café":"a/b","token":"[redacted]"}' });
});

test('ambiguous JSON is hidden completely, with the reason, if redaction could miss a secret', () => {
  const value = '{"n":1,"n":2,"headers":[["a","b"],["x-api-key" , ["S3CRET"]]]}';
  const { preview, redactedPaths } = previewInput({ value });
  expect(preview.value).toMatch(/^\[redacted: JSON that seems to hold a secret/);
  expect(redactedPaths).toEqual(['value']);
});

test('values of any form under secret names are hidden, except empty values and booleans', () => {
  const { preview, redactedPaths } = previewInput({
    headers: { 'X-Auth-Key': 'a', Accept: '*/*' },
    password: 1234,
    secrets: { a: ['b'] },
    token: '',
    pin: null,
    has_password: true,
  });
  expect(preview).toEqual({
    headers: { 'X-Auth-Key': '[redacted]', Accept: '*/*' },
    password: '[redacted]',
    secrets: '[redacted]',
    token: '',
    pin: null,
    has_password: true,
  });
  expect(redactedPaths).toEqual(['headers.X-Auth-Key', 'password', 'secrets']);
});

test('a value is hidden if a sibling field gives it a secret name', () => {
  const { preview, redactedPaths } = previewInput({
    headers: [
      { name: 'X-Api-Key', value: 'S3CRET' },
      { name: 'Accept', value: 'x' },
    ],
    pairs: [
      ['Authorization', 'S3CRET'],
      ['Accept', 'x'],
    ],
  });
  expect(JSON.stringify(preview)).not.toContain('S3CRET');
  expect(redactedPaths).toEqual(['headers.0.value', 'pairs.0.1']);
});

test('a value hidden at one path is hidden everywhere: in texts, keys, numbers, JSON and URLs', () => {
  const input = {
    channel: 'boardroom',
    amount: 471147,
    list: { deep: ['aft-deck'] },
    text: 'to #boardroom and aft-deck',
    url: 'https://x/?c=boardroom&n=471147',
    json: '{"a":"boardroom"}',
    number: 471147,
    boardroom: 1,
  };
  const { preview, redactedPaths } = previewInput(input, ['channel', 'amount', 'list']);
  expect(preview).toEqual({
    channel: '[redacted]',
    amount: '[redacted]',
    list: '[redacted]',
    text: 'to #[redacted] and [redacted]',
    url: 'https://x/?c=[redacted]&n=[redacted]',
    json: '{"a":"[redacted]"}',
    number: '[redacted]',
    '[redacted]': 1,
  });
  expect(redactedPaths.sort()).toEqual(['[redacted]', 'amount', 'channel', 'json', 'list', 'number', 'text', 'url']);
});

test('values that the caller lists as secret are hidden', () => {
  expect(previewInput({ a: 'say boardroom' }, [], ['boardroom'])).toEqual({ preview: { a: 'say [redacted]' }, redactedPaths: ['a'] });
});

test('paths that the caller lists as secret are hidden', () => {
  const { preview, redactedPaths } = previewInput({ a: { 'b\u200b': 1, c: 2 } }, ['a.b\u200b']);
  expect(preview).toEqual({ a: { 'b\\u{200b}': '[redacted]', c: 2 } });
  expect(redactedPaths).toEqual(['a.b\\u{200b}']);
});

test('secrets in keys are hidden, and each key keeps its own entry', () => {
  const one = `svc_${'a'.repeat(30)}`;
  const two = `svc_${'b'.repeat(30)}`;
  const { preview, redactedPaths } = previewInput({ [one]: 1, [two]: 2, 'to https://x?token=S3CRET': 3, 'a\u200b': 4, 'a\\u{200b}': 5 });
  expect(preview).toEqual({
    '[redacted]': 1,
    '[redacted] (2)': 2,
    'to https://x?token=[redacted]': '[redacted]',
    'a\\u{200b}': 5,
    'a\\u{200b} (2)': 4,
  });
  expect(redactedPaths).toEqual(['[redacted]', '[redacted] (2)', 'to https://x?token=[redacted]']);
});

test.each<[string, string]>([
  ['beyond the items that are shown', JSON.stringify([...Array.from({ length: 300 }, () => 0), { name: 'token', value: 'S3CRET' }])],
  ['below the shown depth', `${'['.repeat(40)}{"name":"token","value":"S3CRET"}${']'.repeat(40)}`],
  ['far down', `${'['.repeat(100_000)}"S3CRET"`],
  ['where the text is cut', `${'x '.repeat(1990)}password=${'S3CRET'.repeat(1000)}`],
  ['where redaction ends', `password=${'a'.repeat(7_700)} x ${'4'.repeat(270)} token=S3CRET`],
])('a secret is not shown %s', (_, value) => {
  expect(JSON.stringify(previewInput({ value }).preview)).not.toContain('S3CRET');
});
