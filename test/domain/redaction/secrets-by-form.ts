import { AMEX, alnum, at, base64, CARD, hex, inField, inText, json, token, upper, wide } from './secret-cases.ts';

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
  inText('a code beside a card, after a colon', `${CARD.join(' ')} CVC: 7312`, [CARD.join(' '), '7312']),
  inText('a card in base64', base64(`pay ${CARD.join(' ')} now`), [CARD.join(' ')]),
  inText('a card in a query', `https://x.example/?n=${CARD.join('%20')}`, [CARD.join('%20'), CARD.join(' ')]),
];

/** Secrets that the redaction recognizes by form: keys, tokens of known vendors, card numbers. */
export const SECRETS_BY_FORM = [KEYS, VENDORS, DATADOG, CARDS].flat();
