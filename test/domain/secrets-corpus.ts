/** Secrets in odd places, put together at run time: nothing here is, or looks to a scanner like, a key of anybody. */
export interface SecretCase {
  name: string;
  input: Record<string, unknown>;
  /** What must not be readable in the preview, nor in anything that it can be decoded to. */
  secrets: string[];
  /** What `redactedPaths` must name. */
  paths: string[];
}

/** The secret of most cases: no known form, so that its place alone gives it away. */
export const PLAIN = 'zq4711xKestrel';
const TWO_WORDS = 'zq4711x Kestrel';

/** So many characters of an alphabet, always the same and in no order that a reader would take for words. */
function of(alphabet: string, length: number): string {
  return Array.from({ length }, (_, index) => alphabet[(index * 7 + (index >> 2) * 3 + 5) % alphabet.length]).join('');
}
const HEX = '3f90a7c2d18b4e65';
const LOWER = 'k7dq2mzx9wvb4htc8rnp';
const ALNUM = 'Gx7Qd2LmZ9wVb4HtCr8Np3sKyF6uJe';
const UPPER = 'Q7ZK2MXD9WVB4HTC';
const hex = (length: number) => of(HEX, length);
const lower = (length: number) => of(LOWER, length);
const alnum = (length: number) => of(ALNUM, length);
const upper = (length: number) => of(UPPER, length);

const base64 = (text: string) => Buffer.from(text).toString('base64');
const base64url = (text: string) => Buffer.from(text).toString('base64url');
const inHex = (text: string) => Buffer.from(text).toString('hex');
const percents = (text: string) => Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const wide = (text: string) => text.replace(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0));
const json = JSON.stringify;
const CARD = ['4111', '1111', '1111', '1111'];
const AMEX = ['3782', '822463', '10005'];

const inField = (name: string, value: unknown, secrets: string[] = [PLAIN]): SecretCase => ({
  ...{ name: `the field ${name}`, input: { [name]: value }, secrets, paths: [name] },
});
const inText = (name: string, text: string, secrets: string[] = [PLAIN]): SecretCase => ({
  name,
  input: { text },
  secrets,
  paths: ['text'],
});
const token = (vendor: string, value: string): SecretCase[] => [
  inText(`a token of ${vendor}`, value, [value]),
  inText(`a token of ${vendor} in a sentence`, `Please use ${value} for this.`, [value]),
];
const at = (name: string, input: Record<string, unknown>, paths: string[], secrets: string[] = [PLAIN]): SecretCase => ({
  name,
  input,
  paths,
  secrets,
});

const ENGLISH = [
  ...['password', 'Passwords', 'PASSWORD', 'pAsSwOrD', 'user_password', 'dbPass', 'pwd', 'pw', 'db_pw', 'passphrase', 'passcode'],
  ...['secret', 'clientSecret', 'client-secret', 'shared_secret_2', 'secrets', 'api_key', 'apiKey', 'x-api-key', 'API KEY', 'apikeys'],
  ...['token', 'tOkEn', 'accessToken', 'refresh_token', 'id-token', 'csrfToken', 'auth', 'Authorization', 'proxy-authorization'],
  ...['Cookie', 'set-cookie', 'sessionId', 'PHPSESSID', 'private_key', 'signingKey', 'encryption-key', 'AccountKey', 'credentials'],
  ...['creds', 'bearer', 'jwt', 'signature', 'sig', 'cvv', 'cvc2', 'cardNumber', 'card_no', 'credit-card', 'ssn', 'pin', 'otp_code'],
  ...['mfaCode', 'recovery_codes', 'seed_phrase', 'mnemonic', 'github_pat', 'connectionString', 'dsn', 'webhook_key', 'license-key'],
];
const DISGUISED = [
  ...['p4ssw0rd', 'passw0rd', 's3cret', 't0ken', 'pa$$word', 'pаssword', 'раsswоrd', 'ѕecret', 'tοken', 'ｐａｓｓｗｏｒｄ', 'ｔｏｋｅｎ'],
  ...['pass\u200bword', 'to\u00adken', 'pássword', '𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝', 'ⓢⓔⓒⓡⓔⓣ'],
];
const FOREIGN = [
  ...[
    'contraseña',
    'contrasena',
    'contraseñas',
    'clave_api',
    'claveSecreta',
    'Passwort',
    'passwörter_passwort',
    'Kennwort',
    'api_schlüssel',
  ],
  ...['mot_de_passe', 'motDePasse', 'clé_api', 'jeton', 'senha', 'chave_secreta', 'palavra-passe', 'wachtwoord', 'lösenord', 'passord'],
  ...[
    'hasło',
    'heslo',
    'jelszó',
    'salasana',
    'şifre',
    'mật_khẩu',
    'kata_sandi',
    'segreto',
    'chiave_api',
    'número_de_tarjeta',
    'Kreditkarte',
  ],
  ...[
    'пароль',
    'Пароли',
    'секретный_ключ',
    'токен',
    '密码',
    '密碼',
    '口令',
    '密钥',
    '令牌',
    'パスワード',
    '秘密鍵',
    '비밀번호',
    '암호',
    'סיסמה',
  ],
  ...['كلمة_المرور', 'पासवर्ड', 'รหัสผ่าน', 'κωδικός'],
];

const NAMED = [...ENGLISH, ...DISGUISED, ...FOREIGN].map((name) => ({ ...inField(name, PLAIN), paths: [] }));

const NUMBERS = [
  inField('pin', 471147, ['471147']),
  inField('otp', 118822, ['118822']),
  inField('cvv', 7312, ['7312']),
  inField('password', 47114711, ['47114711']),
  at('a list of codes', { backup_codes: [4711471, 8822882] }, ['backup_codes'], ['4711471', '8822882']),
];

const NESTED = [
  at('deep in objects', { a: { b: { c: { password: PLAIN } } } }, ['a.b.c.password']),
  at('in a list of lists', { rows: [[{ token: PLAIN }]] }, ['rows.0.0.token']),
  at('all under a name', { credentials: { user: 'ada', list: [PLAIN] } }, ['credentials']),
  at('a map of secrets', { secrets: { one: PLAIN, two: `${PLAIN}2` } }, ['secrets'], [PLAIN, `${PLAIN}2`]),
  at('a pair of name and value', { fields: [{ name: 'X-Api-Key', value: PLAIN }] }, ['fields.0.value']),
  at('a pair of key and value', { tags: [{ Key: 'db-password', Value: PLAIN }] }, ['tags.0.Value']),
  at('a pair of k and v', { kv: [{ k: 'password', v: PLAIN }] }, ['kv.0.v']),
  at('several values of a name', { parameters: [{ name: 'token', values: [PLAIN] }] }, ['parameters.0.values']),
  at('a part of a form', { multipart: [{ name: 'password', contents: PLAIN }] }, ['multipart.0.contents']),
  at('a JSON patch', { patch: [{ op: 'replace', path: '/user/password', value: PLAIN }] }, ['patch.0.value']),
  at('a field of a form with its label', { form: [{ id: 'pw', label: 'Password', value: PLAIN }] }, ['form.0.value']),
  at(
    'a list of pairs',
    {
      headers: [
        ['Accept', '*/*'],
        ['Authorization', PLAIN],
      ],
    },
    ['headers.1.1'],
  ),
  at('headers in a flat list', { rawHeaders: ['Accept', '*/*', 'Authorization', `Custom ${PLAIN}`] }, ['rawHeaders.3']),
  at('arguments of a program', { argv: ['deploy', '--token', PLAIN, '--verbose'] }, ['argv.2']),
  at('an argument with a value', { argv: ['deploy', `--api-key=${PLAIN}`] }, ['argv.1']),
  at('variables of GraphQL', { query: 'mutation { x }', variables: { input: { password: PLAIN } } }, ['variables.input.password']),
  at('the environment of a container', { env: [{ name: 'DB_PASSWORD', value: PLAIN }] }, ['env.0.value']),
];

const IN_KEYS = [
  at('a key that is a token', { [`svc_${alnum(43)}`]: 1 }, ['[redacted]'], [alnum(43)]),
  at('a key that is a URL', { [`https://x.example/?token=${PLAIN}`]: 1 }, ['https://x.example/?token=[redacted]']),
  at('a key that is a header', { [`Authorization: ${PLAIN}`]: true }, ['Authorization: [redacted]']),
  at('a key that is a card', { [CARD.join(' ')]: 'mine' }, ['[redacted]'], [CARD.join(' '), CARD.join('')]),
  at('a key in base64', { [base64(`password=${PLAIN}`)]: 1 }, ['[redacted]']),
];

const URLS = [
  inText('the user part of a URL', `https://ada:${PLAIN}@x.example/a`),
  inText('the user part of a URL, without a name', `https://:${PLAIN}@x.example/a`),
  inText('a token as the user of a URL', `https://${hex(32)}@x.example/1`, [hex(32)]),
  inText('a password with an at sign', `https://ada:${PLAIN}@home@x.example/a`, [PLAIN, 'home@']),
  inText('a query', `https://x.example/?a=1&api_key=${PLAIN}&b=2`),
  inText('a query in a sentence', `See https://x.example/?access_token=${PLAIN} soon`),
  inText('a query with a bracket', `https://x.example/?user[password]=${PLAIN}`),
  inText('a fragment', `https://x.example/cb#id_token=${PLAIN}&state=1`),
  inText('a path', `https://x.example/reset-password/${lower(24)}`, [lower(24)]),
  inText('a path alone', `/api/v1/organizations/acme/token/${lower(24)}`, [lower(24)]),
  inText('a name in escapes', `https://x.example/?p%61ssword=${PLAIN}`),
  inText('a URL in a URL', `https://x.example/?next=${encodeURIComponent(`https://y.example/?token=${PLAIN}&a=1`)}`),
  inText('a URL in a URL in a URL', `https://x.example/?n=${encodeURIComponent(encodeURIComponent(`https://y.example/?token=${PLAIN}`))}`),
  inText('the user part in escapes', encodeURIComponent(`postgres://ada:${PLAIN}@db.example/x`)),
  inText('a whole URL in escapes', percents(`https://x.example/?password=${PLAIN}`)),
  inText('a signed address of S3', `https://b.example/k?X-Amz-Credential=${PLAIN}&X-Amz-Signature=${hex(64)}`, [PLAIN, hex(64)]),
  inText(
    'an address of Azure with its signature',
    `https://a.blob.example/c?sv=2022-11-02&sp=r&sig=${encodeURIComponent(`${alnum(43)}=`)}`,
    [alnum(43)],
  ),
  inText('a signed address of Google', `https://s.example/o?X-Goog-Signature=${hex(64)}`, [hex(64)]),
  inText('a webhook of Slack', `https://hooks.slack.com/services/T${upper(8)}/B${upper(8)}/${alnum(24)}`, [alnum(24)]),
  inText('a webhook of Discord', `https://discord.com/api/webhooks/123456789012345678/${alnum(60)}`, [alnum(60)]),
  inText('a webhook of Zapier', `https://hooks.zapier.com/hooks/catch/123456/${lower(7)}/`, [lower(7)]),
  inText('a webhook of Teams', `https://acme.webhook.office.com/webhookb2/${hex(8)}@${hex(8)}/IncomingWebhook/${hex(32)}`, [hex(32)]),
  inText('a bot of Telegram', `https://api.telegram.org/bot${'12345'.repeat(2)}:AA${alnum(33)}/sendMessage`, [alnum(33)]),
];

const HEADERS = [
  at('a basic header', { headers: { Authorization: `Basic ${base64(`ada:${PLAIN}`)}` } }, ['headers.Authorization']),
  at('a bearer header of another name', { headers: { 'X-Forwarded': `Bearer ${alnum(40)}` } }, ['headers.X-Forwarded'], [alnum(40)]),
  inText('headers in one text', `GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Digest username="ada", response="${PLAIN}"\r\nAccept: */*`),
  inText('a cookie header', `Cookie: theme=dark; session_id=${PLAIN}; lang=en`),
  inText('a cookie without a name for secrets', `Cookie: theme=dark; s=${PLAIN}`),
  inText('cookies that are set', `Set-Cookie: sid=${PLAIN}; HttpOnly`),
  inText('a proxy', `Proxy-Authorization: Basic ${base64(`ada:${PLAIN}`)}`, [PLAIN, base64(`ada:${PLAIN}`)]),
  inText('a header with spaces', `X-Api-Key: ${TWO_WORDS}`, [TWO_WORDS, 'Kestrel']),
  inText('a header within a line', `send Authorization: Token ${PLAIN} with it`),
  inText('a full-width colon', `password：${PLAIN}`),
  inText('basic alone', `Basic ${base64(`ada:${PLAIN}`)}`),
  inText('basic with a short pair', `Basic ${base64('u:p')}`, [base64('u:p'), 'u:p']),
  inText('basic with a short pair in a sentence', `send Basic ${base64('a:bc')} with it`, [base64('a:bc')]),
  inText('bearer alone', `bearer ${lower(32)}`, [lower(32)]),
  inText('a token with its scheme', `the header is Bearer ${alnum(24)}, as ever`, [alnum(24)]),
];

const JWT = `${base64url('{"alg":"HS256","typ":"JWT"}')}.${base64url(json({ sub: PLAIN }))}.${alnum(43)}`;

const ENCODED = [
  inText('a pair in base64', base64(`ada:${PLAIN}`)),
  inText('a pair in hex', inHex(`ada:${PLAIN}`)),
  inText('JSON in base64', base64(json({ user: 'ada', password: PLAIN }))),
  inText('JSON in base64 of URLs', base64url(json({ a: '???>>>', password: PLAIN }))),
  inText('JSON in hex', inHex(json({ password: PLAIN }))),
  inText('hex in capitals', inHex(json({ password: PLAIN })).toUpperCase()),
  inText('base64 in base64', base64(base64(`password=${PLAIN}`))),
  inText('base64 in hex', inHex(base64(`password=${PLAIN}`))),
  inText('hex in base64', base64(inHex(`password=${PLAIN}`))),
  inText('base64 in base64 in base64', base64(base64(base64(`token: ${PLAIN}`)))),
  inText('a token without a digit in base64', base64(`sk_${'live'}_abcdefghijklmnop`), [base64(`sk_${'live'}_abcdefghijklmnop`)]),
  inText('base64 of a URL', base64(`https://ada:${PLAIN}@x.example`)),
  inText('base64 in a query', `https://x.example/?state=${base64url(json({ token: PLAIN }))}`),
  inText('base64 in a path', `https://x.example/v1/${base64url(json({ token: PLAIN }))}/x`),
  inText('base64 with escapes', `data=${encodeURIComponent(base64(json({ token: PLAIN, a: '??' })))}`),
  inText('base64 in a sentence', `decode ${base64(`DB_PASSWORD=${PLAIN}`)} first`),
  inText('base64 in a data URL', `data:application/json;base64,${base64(json({ apiKey: PLAIN }))}`),
  inText('base64 over lines', base64(json({ note: 'x'.repeat(90), apiKey: PLAIN })).replace(/.{76}/g, '$&\n')),
  inText('base64 of UTF-16', Buffer.from(`$password = "${PLAIN}"`, 'utf16le').toString('base64')),
  inText('base64 of a pair in a list', json([base64(`ada:${PLAIN}`)])),
  inText('JWT', JWT, [JWT, PLAIN]),
  inText('JWT in a query', `https://x.example/?a=${JWT}`, [JWT, PLAIN]),
  inText('JWT in a sentence', `use ${JWT}.`, [JWT, PLAIN]),
  inText('escapes of JavaScript', Array.from(`password=${PLAIN}`, (c) => `\\x${c.charCodeAt(0).toString(16)}`).join('')),
  inText('escapes of JSON', Array.from(`password=${PLAIN}`, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')),
  inText('entities of HTML', Array.from(`password=${PLAIN}`, (c) => `&#${c.charCodeAt(0)};`).join('')),
  inText('full-width letters', wide(`password=${PLAIN}`)),
  inText('hidden characters in a token', `svc_${alnum(43)}`.replace(/.{6}/g, '$&\u200b'), [alnum(43)]),
];

const FILES = [
  inText('.env', `HOST=db\nDB_PASSWORD=${PLAIN}\nPORT=1`),
  inText('.env with signs', `A=1\nDB_PASSWORD=zq#47&11'x"Kestrel\nB=2`, ["zq#47&11'x", 'Kestrel']),
  inText('.env with quotes', `export API_TOKEN='${TWO_WORDS}'\nB=2`, [TWO_WORDS, 'Kestrel']),
  inText('INI', `[db]\nuser = ada\npassword = ${TWO_WORDS}\nport = 1`, [TWO_WORDS, 'Kestrel']),
  inText('properties', `spring.datasource.password=${PLAIN}\nx=y`),
  inText('YAML', `db:\n  user: ada\n  password: ${TWO_WORDS}\n`, [TWO_WORDS, 'Kestrel']),
  inText('a container in YAML', `env:\n  - name: DB_PASSWORD\n    value: ${PLAIN}\n  - name: X\n    value: y`),
  inText('a block of YAML', `a: 1\nsecret: |\n  line one\n  ${PLAIN}\nb: 2`),
  inText('a map in YAML', `secrets:\n  one: ${PLAIN}\n  two: ${PLAIN}2\nb: 2`),
  inText('a list in YAML', `tokens:\n  - first\n  - ${PLAIN}\nb: 2`),
  inText('a list of YAML without indent', `tokens:\n- first\n- ${PLAIN}\nb: 2`),
  inText('TOML', `[owner]\napi_key = "${PLAIN}"\n`),
  inText('lines in TOML', `password = """\n${PLAIN}\nmore ${PLAIN}\n"""\nx = 1`),
  inText('a list in TOML', `tokens = ["one", "${PLAIN}"]\nx = 1`),
  inText('JSON', json({ a: [{ password: PLAIN }] })),
  inText('JSON in JSON', json({ body: json({ password: PLAIN }) })),
  inText('half of JSON', json({ a: 1, tokens: ['one', PLAIN], b: 1 }).slice(0, -1)),
  inText('XML', `<c><user>ada</user><password>${PLAIN}</password></c>`),
  inText('XML with CDATA', `<password><![CDATA[${PLAIN}]]></password>`),
  inText('XML below a name', `<credentials><user>ada</user><x>${PLAIN}</x></credentials>`),
  inText('an attribute of XML', `<db user="ada" password="${PLAIN}"/>`),
  inText('a setting of XML', `<add key="ApiKey" value="${PLAIN}" />`),
  inText('a field of a form', `<input type="password" name="x" value="${PLAIN}">`),
  inText('a field of a form, value first', `<input value="${PLAIN}" type="text" name="api_key">`),
  inText('a hidden field', `<input type="hidden" name="csrf_token" value="${PLAIN}">`),
  inText('.netrc', `machine x.example login ada password ${PLAIN}`),
  inText('.npmrc', `//registry.example/:_authToken=${PLAIN}`),
  inText('.pgpass in base64', base64(`db:5432:x:ada:${PLAIN}`)),
];

const DATABASES = [
  inText('SQL of MySQL', `create user 'ada' identified by '${PLAIN}'`),
  inText('SQL of MySQL with a plugin', `ALTER USER ada IDENTIFIED WITH caching_sha2_password BY '${PLAIN}';`),
  inText('SQL of Postgres', `create role ada login password '${PLAIN}'`),
  inText('SQL that sets', `update users set password = '${PLAIN}' where id = 1`),
  inText('SQL with a quote in it', `update users set password = 'zq''${PLAIN}' where id = 1`),
  inText('Postgres', `postgres://ada:${PLAIN}@db.example:5432/x`),
  inText('Postgres with a slash', `postgresql://ada:zq/${PLAIN}@db.example/x`),
  inText('Postgres in words', `host=db user=ada password=${PLAIN} dbname=x`),
  inText('MySQL', `mysql://root:${PLAIN}@db/x`),
  inText('MongoDB', `mongodb+srv://ada:${PLAIN}@c.example/x?retryWrites=true`),
  inText('Redis', `redis://:${PLAIN}@cache:6379/0`),
  inText('AMQP', `amqp://ada:${PLAIN}@mq:5672/%2f`),
  inText('JDBC', `jdbc:postgresql://db/x?user=ada&password=${PLAIN}`),
  inText('JDBC of Oracle', `jdbc:oracle:thin:scott/${PLAIN}@db:1521:x`),
  inText('JDBC of SQL Server', `jdbc:sqlserver://db;user=sa;password=${PLAIN};encrypt=true`),
  inText('ODBC', `Driver={SQL};Server=db;Uid=sa;Pwd=${PLAIN};`),
  inText('ODBC with braces', `Driver={SQL};Pwd={zq;${PLAIN}};Server=db`),
  inText('Azure', `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${alnum(86)}==;EndpointSuffix=x`, [alnum(86)]),
  inText('Azure Service Bus', `Endpoint=sb://x.example/;SharedAccessKeyName=Root;SharedAccessKey=${alnum(43)}=`, [alnum(43)]),
];

const PEM = (kind: string) => `-----BEGIN ${kind}-----\n${alnum(64)}\n${alnum(20)}\n-----END ${kind}-----`;
const KEYS = [
  ...['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'ENCRYPTED PRIVATE KEY', 'PGP PRIVATE KEY BLOCK'].map(
    (kind) => inText(`a PEM block: ${kind}`, `key:\n${PEM(kind)}\nend`, [alnum(64), alnum(20)]),
  ),
  inText('a PEM block without its end', PEM('PRIVATE KEY').slice(0, 70), [alnum(30)]),
  inText('a PEM block in one line', `x ${PEM('RSA PRIVATE KEY').replaceAll('\n', '\\n')} y`, [alnum(64)]),
  inText('a PEM block in base64', base64(PEM('PRIVATE KEY')), [alnum(64)]),
  inText('a key of SSH in base64', base64(`openssh-key-v1\0${'\0'.repeat(8)}${alnum(60)}`), [alnum(60)]),
  inText('a key of PuTTY', `PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n${alnum(40)}`, [alnum(40)]),
  inText('a key of age', `AGE-SECRET-KEY-1${upper(58)}`, [upper(58)]),
  at(
    'a pair of AWS',
    { id: `AKIA${upper(16)}`, k: `${alnum(20)}/${alnum(19)}` },
    ['id', 'k'],
    [`AKIA${upper(16)}`, `${alnum(20)}/${alnum(19)}`],
  ),
  inText('a pair of AWS in a text', `AKIA${upper(16)} ${alnum(20)}+${alnum(19)}`, [`AKIA${upper(16)}`, `${alnum(20)}+${alnum(19)}`]),
  inText('settings of AWS', `[default]\naws_access_key_id = ASIA${upper(16)}\naws_secret_access_key = ${alnum(40)}`, [
    `ASIA${upper(16)}`,
    alnum(40),
  ]),
  inText(
    'a service account of Google',
    json({ type: 'service_account', project_id: 'x', private_key_id: hex(40), private_key: `${PEM('PRIVATE KEY')}\n` }),
    [alnum(64), hex(40)],
  ),
  inText('a secret of Azure', `${alnum(3)}8Q~${alnum(34)}`, [alnum(34)]),
];

const VENDORS = [
  token('GitHub', `ghp_${alnum(36)}`),
  token('GitHub, fine-grained', `github_pat_${alnum(22)}_${alnum(59)}`),
  token('GitLab', `glpat-${alnum(20)}`),
  token('Slack', `xoxb-${'1234567890-'.repeat(2)}${alnum(24)}`),
  token('Slack apps', `xapp-1-A${upper(10)}-1234567890-${hex(64)}`),
  token('Stripe', `sk_${'live'}_${alnum(24)}`),
  token('Stripe, without a digit', `sk_${'live'}_abcdefghijklmnop`),
  token('Stripe, restricted, without a digit', `rk_${'test'}_abcdefghijklmnopqrst`),
  token('Anthropic, without a digit', `sk-${'ant'}-abcdefghijklmnop`),
  token('Stripe webhooks', `whsec_${alnum(32)}`),
  token('Twilio', `SK${hex(32)}`),
  token('SendGrid', `SG.${alnum(22)}.${alnum(43)}`),
  token('npm', `npm_${alnum(36)}`),
  token('PyPI', `pypi-AgEIcHlwaS5vcmc${alnum(60)}`),
  token('OpenAI', `sk-${'proj'}-${alnum(48)}`),
  token('Anthropic', `sk-${'ant'}-api03-${alnum(90)}AA`),
  token('Google', `AIza${alnum(35)}`),
  token('Google OAuth', `GOCSPX-${alnum(28)}`),
  token('Google access', `ya29.${alnum(60)}`),
  token('Telegram', `${'98765'.repeat(2)}:AA${alnum(33)}`),
  token('Discord', `M${alnum(23)}.${alnum(6)}.${alnum(27)}`),
  token('Shopify', `shpat_${hex(32)}`),
  token('DigitalOcean', `dop_v1_${hex(64)}`),
  token('Hugging Face', `hf_${alnum(34)}`),
  token('Square', `sq0atp-${alnum(22)}`),
  token('Mailgun', `key-${hex(32)}`),
  token('Mailchimp', `${hex(32)}-us14`),
  token('New Relic', `NRAK-${upper(27)}`),
  token('Grafana', `glsa_${alnum(32)}_${hex(8)}`),
  token('Databricks', `dapi${hex(32)}`),
  token('Linear', `lin_api_${alnum(40)}`),
  token('Notion', `ntn_${alnum(44)}`),
  token('Airtable', `pat${alnum(14)}.${hex(64)}`),
  token('Vault', `hvs.${alnum(90)}`),
  token('Tailscale', `tskey-auth-${alnum(17)}-${alnum(32)}`),
  token('Docker', `dckr_pat_${alnum(27)}`),
  token('Groq', `gsk_${alnum(52)}`),
  token('this service', `svc_${alnum(43)}`),
  token('links of this service', `apr_link_v1_${alnum(43)}`),
].flat();

const DATADOG = [
  at('a header of Datadog', { headers: { 'DD-API-KEY': hex(32), 'DD-APPLICATION-KEY': hex(40) } }, ['headers.DD-API-KEY'], [hex(32)]),
];

const CARDS = [
  ...[' ', '-', '', '.', '\u00a0', ' - ', '\u2009', '\u2011'].map((gap) =>
    inText(`a card with ${json(gap)} between`, `pay ${CARD.join(gap)} now`, [CARD.join(gap)]),
  ),
  inText('a card of fifteen digits', `pay ${AMEX.join(' ')} now`, [AMEX.join(' '), AMEX.join('')]),
  inText('a card in full-width digits', `pay ${wide(CARD.join(''))} now`, [CARD.join('')]),
  inText('a card in Arabic digits', `${Array.from(CARD.join(''), (digit) => String.fromCharCode(0x660 + Number(digit))).join('')}`, [
    CARD.join(''),
  ]),
  inText('a card with hidden characters', CARD.join('\u200b'), [CARD.join('')]),
  inField('amount', Number(CARD.join('')), [CARD.join('')]),
  inText('a code beside a card', `${CARD.join(' ')} exp 12/29 cvv 7312`, [CARD.join(' '), '7312']),
  inText('a code beside a card, otherwise', `${CARD.join(' ')} CVC: 7312`, [CARD.join(' '), '7312']),
  inText('a card in base64', base64(`pay ${CARD.join(' ')} now`), [CARD.join(' ')]),
  inText('a card in a query', `https://x.example/?n=${CARD.join('%20')}`, [CARD.join('%20'), CARD.join(' ')]),
];

const COMMANDS = [
  inText('curl with a user', `curl -u ada:${PLAIN} https://x.example`),
  inText('curl with a user in quotes', `curl --user 'ada:${PLAIN}' https://x.example`),
  inText('curl with a header', `curl -H 'Authorization: Token ${PLAIN}' https://x.example`),
  inText('curl with a header in double quotes', `curl -H "X-Api-Key: ${PLAIN}" https://x.example`),
  inText('curl with a cookie', `curl -H 'Cookie: a=b; c=${PLAIN}' https://x.example`),
  inText('curl with a form', `curl -d 'grant_type=password&password=${PLAIN}' https://x.example`),
  inText('curl with JSON', `curl -d '{"password":"${PLAIN}"}' https://x.example`),
  inText('a flag', `deploy --token ${PLAIN} --verbose`),
  inText('a flag with quotes', `deploy --db-password "${TWO_WORDS}" --verbose`, [TWO_WORDS, 'Kestrel']),
  inText('a flag with a sign', `deploy --api-key=${PLAIN} --verbose`),
  inText('mysql', `mysql -h db -u root -p${PLAIN} x`),
  inText('-p alone', `-p ${PLAIN}`),
  inText('-p with quotes', `connect db.example -p '${PLAIN}' --verbose`),
  inText('docker login', `docker login -u ada -p ${PLAIN} registry.example`),
  inText('a login with a password of letters', 'helm registry login x.example -u ada -p KestrelKestrel', ['KestrelKestrel']),
  inText('sshpass', `sshpass -p ${PLAIN} ssh x.example`),
  inText('a variable before a command', `PGPASSWORD=${PLAIN} psql -h db`),
  inText('docker', `docker run -e API_TOKEN=${PLAIN} image`),
  inText('git', `git clone https://ada:${PLAIN}@git.example/x.git`),
];

const CODE = [
  inText('an assignment', `const password = '${PLAIN}';`),
  inText('an object', `connect({ user: 'ada', password: "${PLAIN}" })`),
  inText('a list in an object', `f({ tokens: ['a', '${PLAIN}'] })`),
  inText('a call', `headers.set('Authorization', 'Token ${PLAIN}')`),
  inText('an index', `os.environ['API_TOKEN'] = '${PLAIN}'`),
  inText('an object of a name and a value', `({ name: 'X-Api-Key', value: '${PLAIN}' })`),
  inText('a template', `const secret = \`${PLAIN}\`;`),
  inText('an arrow of PHP', `$config = ['password' => '${PLAIN}'];`),
  inText('Go', `password := "${PLAIN}"`),
  inText('GraphQL', `mutation { login(user: "ada", password: "${PLAIN}") { id } }`),
  inText('JSON in code', `const body = '{\\"password\\":\\"${PLAIN}\\"}'`),
];

const PROSE = [
  inText('a sentence of the future', `The new api key will be ${PLAIN} from Monday.`),
  inText('a sentence', `The password is ${PLAIN}, keep it.`),
  inText('a sentence in German', `Das Passwort ist ${PLAIN}, bitte.`),
  inText('a sentence with a colon', `api key: ${PLAIN} works`),
  inText('a sentence with quotes', `the password "${PLAIN}" works`),
  inText('a number in a sentence', 'Your PIN is 471147.', ['471147']),
  inText('a line below', `Password:\n${PLAIN}\n`),
];

export const SECRETS: SecretCase[] = [
  ...[
    NAMED,
    NUMBERS,
    NESTED,
    IN_KEYS,
    URLS,
    HEADERS,
    ENCODED,
    FILES,
    DATABASES,
    KEYS,
    VENDORS,
    DATADOG,
    CARDS,
    COMMANDS,
    CODE,
    PROSE,
  ].flat(),
];
