import { alnum, at, base64, CARD, hex, inField, inText, lower, PLAIN, percents, TWO_WORDS, upper } from './secret-cases.ts';

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
  at('everything under a secret name', { credentials: { user: 'ada', list: [PLAIN] } }, ['credentials']),
  at('a map of secrets', { secrets: { one: PLAIN, two: `${PLAIN}2` } }, ['secrets'], [PLAIN, `${PLAIN}2`]),
  at('a pair of name and value', { fields: [{ name: 'X-Api-Key', value: PLAIN }] }, ['fields.0.value']),
  at('a pair of key and value', { tags: [{ Key: 'db-password', Value: PLAIN }] }, ['tags.0.Value']),
  at('a pair of k and v', { kv: [{ k: 'password', v: PLAIN }] }, ['kv.0.v']),
  at('several values under one name', { parameters: [{ name: 'token', values: [PLAIN] }] }, ['parameters.0.values']),
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
  inText('a cookie whose name suggests no secret', `Cookie: theme=dark; s=${PLAIN}`),
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

/**
 * Secrets that the redaction recognizes by place: the name of a field, a part of a URL, a header.
 */
export const SECRETS_BY_PLACE = [NAMED, NUMBERS, NESTED, IN_KEYS, URLS, HEADERS].flat();
