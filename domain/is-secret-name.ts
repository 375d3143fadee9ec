/** Whether what stands under a name (of a field, header, parameter) is taken for a secret. Hides too much rather than too little. */
export function isSecretName(name: string): boolean {
  const plain = name.normalize('NFKC');
  if (!HINT.test(plain.replace(/[^\p{L}]+/gu, ''))) return false;
  const words = wordsOf(plain);
  const joined = words.join('');
  if (words.length === 1 && WHOLE_NAMES.has(joined)) return true;
  if (ANYWHERE.test(joined.replaceAll('secretar', ''))) return true;
  return words.some((word, index) => isSecretWord(word, index, words));
}

/** Most names hold none of these: a quick no. */
const HINT = /pass|pwd|secr|tok|cred|auth|key|cook|sig|bear|card|ccn|cv|ssn|social|pin|otp|mfa|jwt|sess|code|connectionstring|dsn/i;

const WHOLE_NAMES = new Set(['dsn', 'pins']);

/** Long enough to mean a secret wherever they stand, however the name is cut into words. */
const ANYWHERE =
  /passw(?:or)?d|passphrase|passcode|passkey|secret|credential|authori[sz]ation|cookie|signature|apikey|privatekey|sess(?:ion)?id|connectionstring|card(?:number|num|no$)|creditcard|debitcard|ccnumber|socialsecurity|securitycode|onetime(?:code|pass)/;

const SECRET_WORDS = new Set('pwd userpwd dbpwd cred creds bearer sig jwt cvv cvc cvn ssn otp otps totp hotp'.split(' '));

/** What kinds of key open something; other keys (of a store, a table, a cache, an object) only name things. */
const SECRET_KEY =
  /(?:api|access|auth|private|secret|encryption|decryption|signing|signature|master|functions?|subscription|account|shared|session|service|admin|app|application|client|deploy|ssh|gpg|pgp|rsa|aws|hmac|licen[cs]e|host|webhook|security|recovery|root|pass)keys?$/;

const SECRET_CODE = /^(?:pin|otp|mfa|auth|access|security|verification|recovery|backup|reset|device|login|factor)codes?$/;

const LAST_WORDS = new Set(['pass', 'auth', 'pin']);
const NOT_A_PASS = /^(?:by|com|encom|over|sur|tres|under)pass$/;

/** `max_tokens` and the like count the tokens of a language model. */
const COUNTS = new Set(['max', 'min', 'count', 'limit', 'total', 'prompt', 'completion', 'budget', 'usage']);

function isSecretWord(word: string, index: number, words: string[]): boolean {
  const withBefore = index > 0 ? words[index - 1] + word : word;
  if (SECRET_WORDS.has(word) || SECRET_CODE.test(word)) return true;
  if (/^tokens?(?!i[sz])|tokens?$/.test(word)) return !words.some((other) => COUNTS.has(other));
  if (SECRET_KEY.test(withBefore) || SECRET_CODE.test(withBefore)) return true;
  if (word.endsWith('pass') && word !== 'pass') return !NOT_A_PASS.test(word);
  return index === words.length - 1 && LAST_WORDS.has(word);
}

/** The words of `camelCase`, `HTTPHeader`, `snake_case`, `kebab-case` and `dotted.names`, digits left out, in lower case. */
function wordsOf(name: string): string[] {
  return name
    .split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}
