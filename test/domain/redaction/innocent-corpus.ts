const text = (name: string, value: unknown): [string, Record<string, unknown>] => [name, { text: value }];
const field = (name: string, value: unknown = 'a value to read'): [string, Record<string, unknown>] => [
  `the field ${name}`,
  { [name]: value },
];

const FIELDS = [
  ...['max_tokens', 'maxTokens', 'tokenCount', 'token_count', 'totalTokens', 'prompt_tokens', 'completionTokens', 'tokenLimit'].map(
    (name) => field(name, 100),
  ),
  ...[
    'primaryKey',
    'primary_key',
    'publicKey',
    'cache_key',
    'objectKey',
    'sortKey',
    'partition-key',
    'foreign_key',
    'keyboard',
    'keyword',
    'keys',
  ].map((name) => field(name)),
  ...[
    'monkey',
    'turkey',
    'hockey',
    'author',
    'authors',
    'authority',
    'authorName',
    'passenger',
    'passengers',
    'passage',
    'compass',
    'bypass',
  ].map((name) => field(name)),
  ...[
    'secretary',
    'secretariat',
    'tokenize',
    'tokenizer',
    'cookbook',
    'design',
    'signal',
    'assignee',
    'sign_in',
    'spin',
    'pinned',
    'pipeline',
  ].map((name) => field(name)),
  ...['session', 'card', 'cardType', 'discount_code', 'country_code', 'zip_code', 'statusCode', 'currencyCode', 'barcode', 'qr_code'].map(
    (name) => field(name),
  ),
  ...[
    'passwordPolicy',
    'password_length',
    'token_type',
    'tokenUrl',
    'secretName',
    'cookie_policy',
    'credentialType',
    'signature_version',
  ].map((name) => field(name)),
  ...['motor', 'motto', 'parolee_count', 'closed', 'conclave', 'chavez', 'mundo', 'город', '名前', '件名', 'naïve', 'größe', 'prénom'].map(
    (name) => field(name),
  ),
];

const IDS = [
  text('a UUID', '3f2b8c1e-7a4d-4e9b-8f60-1c2d3e4f5a6b'),
  text('an order number', 'ORD-2026-00471147'),
  text('an id of this service', 'apr_4kX9mZ7Qw2LpT8vB1nC6dR'),
  text('a customer of Stripe', 'cus_NffrFeUfNV2Hib'),
  text('a payment of Stripe', 'pi_3MtwBwLkdIwHu7ix28a3tqPa'),
  text('a commit', '9fceb02d0ae598e95dc970b74767f19372d61af8'),
  text('a short commit', 'a1b2c3d'),
  text('a hash', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'),
  text('a hash of MD5', 'd41d8cd98f00b204e9800998ecf8427e'),
  text('an integrity value of npm', 'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=='),
  text('an image', 'sha256:9b2a1c0d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b'),
  text('a document of Google', '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgVE2upms'),
  text('a video', 'dQw4w9WgXcQ'),
  text('a channel of Slack', 'C024BE91L'),
  text('a message of Slack', '1503435956.000247'),
  text('an ARN', 'arn:aws:iam::123456789012:role/deploy'),
  text('an ISBN', '978-3-16-148410-0'),
  text('an IBAN', 'DE89 3704 0044 0532 0130 00'),
  text('an IMEI', '490154203237519'),
  text('digits that are no card', '4111 1111 1111 1112'),
  text('a number that starts like a card and fails its checksum', '5500000000000005'),
  text('a number that does not start like a card', '1234567890123452'),
  text('a primary key of SQL', 'alter table x drop constraint pk_approval_policies_versions'),
];

const TIMES = [
  text('a date', '2026-11-20'),
  text('a time', '2026-11-20T10:30:00.000Z'),
  text('a time in seconds', 1_795_000_000),
  text('a time in milliseconds', 1_795_000_000_000),
  text('a duration', 'PT1H30M'),
  text('a schedule', '*/5 * * * 1-5'),
  text('a time of day', '10:30:15'),
];

const NUMBERS = [
  text('a phone number', '+49 151 1234 5678 90'),
  text('a phone number of North America', '(415) 555-2671'),
  text('an amount', 1234.56),
  text('a large number', 1e21),
  text('a latitude', 52.5200065999999),
  text('an address of a host', '192.168.10.254:8080'),
  text('an address of IPv6', '2001:db8:85a3::8a2e:370:7334'),
  text('a version', '10.24.1-beta.17+build.4711'),
];

const URLS = [
  text('a URL', 'https://example.com/a/b?q=cats&page=2&sort=name#top'),
  text('a URL with a port', 'https://example.com:8443/path?email=ada@example.com'),
  text('a URL with an at sign', 'https://medium.example/@ada/some-title-4711'),
  text('a URL with a user', 'ssh://git@github.com/acme/repo.git'),
  text('a URL with escapes', 'https://example.com/search?q=from%3Aada%20to%3Abob'),
  text('a URL in a URL', 'https://example.com/?next=https%3A%2F%2Fy.example%2Fa%3Fb%3D1'),
  text('a page that issues tokens', 'https://auth.example.com/oauth/token'),
  text('a page that resets passwords', 'https://example.com/reset-password'),
  text('a page about passwords', 'https://docs.example.com/password/requirements-and-rules'),
  text('an address for mail', 'Ada Lovelace <ada@example.com>'),
  text('a mailto', 'mailto:ada@example.com?subject=Hello'),
  text('a remote of git', 'git@github.com:acme/repo.git'),
  text('a database without a password', 'postgres://db.example:5432/app'),
  text('a bucket', 's3://bucket/reports/2026/11/20.csv'),
];

const PROSE = [
  text('a policy', 'Please review the password policy before Friday.'),
  text('a reset', 'You can reset your password in the settings.'),
  text('an expired password', 'Your password is expired. The token was revoked.'),
  text('basic in a sentence', 'A basic understanding of bearer certificates is required.'),
  text('a basic plan', 'Basic Only: the plan, basic data, Basic user, basic auth. Basic Online is another.'),
  text('words that begin like keys', 'sk_test_environment and sk-or-cs-translation-of-the-page'),
  text('basic authentication', 'We support basic authentication and bearer tokens.'),
  text('a card in words', 'Bring your card and a photo.'),
  text('a list after a colon', 'I baked cookies: chocolate, oat and raisin.'.replace('cookies:', 'biscuits:')),
  text('an author', 'Author: Ada Lovelace\nTitle: Notes'),
  text('a recipe', 'Step 1: mix; Step 2: bake at 180; Step 3: wait.'),
  text('a ratio', 'The ratio is 16:9, key=7, text: hello'),
  text('the legend of a map', 'The key: red is closed, green is open.'),
  text('a long word', 'Donaudampfschifffahrtsgesellschaftskapitän'),
  text('a pin on a map', 'Drop a pin at the office and pin the message.'),
  text('emoji', 'Well done 👩‍💻🎉'.normalize().replace('\u200d', '')),
  text('another script', '请查看附件中的报告，谢谢。'),
  text('right to left', 'يرجى مراجعة التقرير'),
];

const CODE = [
  text('a function', 'function add(a, b) { return a + b; }'),
  text('types', 'function login(user: string, password: string): boolean'),
  text('a query of GraphQL', 'query($token: String!, $id: ID!) { user(id: $id) { name } }'),
  text('a variable of the environment', 'const password = process.env.DB_PASSWORD;'),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: another system's template
  text('a template', 'curl -H "Authorization: ${AUTH_HEADER}" https://x.example'),
  text('a placeholder', 'deploy --token $TOKEN --region eu'),
  text('SQL', "select id, name from users where name = 'Ada' order by id"),
  text('a schema', 'create table users (id uuid primary key, password text not null)'),
  text('the option -p of mkdir', 'mkdir -p dist/assets2 && mkdir -p release2'),
  text('a port', 'docker run -p 8080:80 image2; ssh -p 2222 host1'),
  text('a port of SSH and a host', 'ssh -p 2222 ada@host1.example'),
  text('a version of Python', 'virtualenv -p python3 env'),
  text('the option -p of journalctl', 'journalctl -u nginx -p warning'),
  text('a crate', 'cargo build -p base64x'),
  text('a prompt', 'ask -p "Summarize 3 reports"'),
  text('a user of docker', 'docker run -u 1000:1000 image'),
  text('git', 'git push -u origin main'),
  text('a certificate', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'),
  text('a public key', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ ada@example.com'),
  text('HTML', '<p class="intro">Hello <b>Ada</b></p>'),
  text('a form', '<input type="text" name="email" value="ada@example.com">'),
  text('JSON', '{"name":"Ada","items":[1,2,3]}'),
  text('CSV', 'name,amount\nAda,12\nBob,13'),
  text('Markdown', '# Title\n\n- one\n- two: three\n'),
  text('base64 of words', Buffer.from('Hello Ada, the report is ready.').toString('base64')),
  text('base64 of bytes', Buffer.from(Array.from({ length: 90 }, (_, index) => (index * 89) % 256)).toString('base64')),
  text(
    'a picture',
    `data:image/png;base64,${Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 151) % 256)).toString('base64')}`,
  ),
];

const OBJECTS: [string, Record<string, unknown>][] = [
  ['a list of names', { columns: ['id', 'password', 'email'] }],
  ['a pair of innocent name and value', { fields: [{ name: 'Subject', value: 'Hello' }] }],
  ['a pair of names', { pairs: [['Accept', '*/*']] }],
  ['flags', { has_password: true, token: '', pin: null }],
  ['a table', { rows: [{ key: 'colour', value: 'red' }] }],
  ['a title', { name: 'Password reset guide', text: 'How to reset it.' }],
];

/** Values that a reviewer must be able to read. */
export const INNOCENT = [...FIELDS, ...IDS, ...TIMES, ...NUMBERS, ...URLS, ...PROSE, ...CODE, ...OBJECTS];
