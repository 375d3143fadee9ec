import { plainLetters } from '../policies/plain-letters.ts';
import { holdsForeignSecretWord } from './foreign-secret-words.ts';

/**
 * Whether a field, header or parameter with this name holds a secret. In doubt, the answer is yes.
 */
export function isSecretName(name: string): boolean {
  if (name.length > MAX_LENGTH) return false;
  const plain = plainLetters(name);
  const words = wordsOf(plain);
  const joined = words.join('');
  if (words.length > 1 && ABOUT_A_SECRET.has(words.at(-1)!)) return false;
  if (HINT.test(joined) && isSecretInEnglish(words, joined)) return true;
  return DISGUISED.test(plain) ? isSecretName(withoutDigits(plain)) : holdsForeignSecretWord(name, joined);
}

/** Longer texts are sentences. */
const MAX_LENGTH = 200;

function isSecretInEnglish(words: string[], joined: string): boolean {
  if (words.length === 1 && WHOLE_NAMES.has(joined)) return true;
  if (ANYWHERE.test(joined.replaceAll('secretar', ''))) return true;
  // Mixed case such as `tOkEn` splits into meaningless words, so the joined name is checked.
  if (/tokens?$/.test(joined) && !words.some((word) => COUNTS.has(word))) return true;
  return words.some((word, index) => isSecretWord(word, index, words));
}

/** Every English name that is recognized contains one of these parts. */
const HINT =
  /pass|pwd|psw|secr|tok|cred|auth|key|cook|sig|bear|card|ccn|cv|ssn|social|pin|otp|mfa|jwt|sess|code|connectionstring|dsn|phrase|mnemonic|pat|pw|psw|paswd/;

const WHOLE_NAMES = new Set(['dsn', 'pins', 'pw', 'psw', 'mnemonic']);

/** These parts mean a secret even if the name is split into other words. */
const ANYWHERE =
  /passw(?:or)?d|paswd|passphrase|passcode|passkey|secret|credential|authori[sz]ation|cookie|signature|apikey|privatekey|sess(?:ion)?id|connectionstring|card(?:number|num|no$)|creditcard|debitcard|ccnumber|socialsecurity|securitycode|onetime(?:code|pass)|(?:seed|recovery|mnemonic)phrase|personalaccesstoken/;

const SECRET_WORDS = new Set('pwd pswd psw userpwd dbpwd cred creds bearer sig jwt cvv cvc cvn ssn otp otps totp hotp'.split(' '));

/** Other keys, such as those of a table or cache, only name things. */
const SECRET_KEY =
  /(?:api|access|auth|private|secret|encryption|decryption|signing|signature|master|functions?|subscription|account|shared|session|service|admin|app|application|client|deploy|ssh|gpg|pgp|rsa|aws|hmac|licen[cs]e|host|webhook|security|recovery|root|pass)keys?$/;

const SECRET_CODE = /^(?:pin|otp|mfa|auth|access|security|verification|recovery|backup|reset|device|login|factor)codes?$/;

const LAST_WORDS = new Set(['pass', 'auth', 'pin', 'pw']);
const NOT_A_PASS = /^(?:by|com|encom|over|sur|tres|under)pass$/;

/** Words that mark a count of a language model's tokens, as in `max_tokens`. */
const COUNTS = new Set(
  'max min count limit total prompt completion budget usage input output cached reasoning used context stop per text audio image'.split(
    ' ',
  ),
);

/**
 * Last words of names such as `passwordPolicy`: the value only describes a secret, and reviewers
 * need to see it.
 */
const ABOUT_A_SECRET = new Set(
  'type types policy policies url uri endpoint count limit length name names expires expiry expiration lifetime ttl required enabled status format algorithm version label placeholder strength rotation manager ref kind style'.split(
    ' ',
  ),
);

function isSecretWord(word: string, index: number, words: string[]): boolean {
  const withBefore = index > 0 ? words[index - 1] + word : word;
  if (SECRET_WORDS.has(word) || SECRET_CODE.test(word)) return true;
  if (/^tokens?(?!i[sz])|tokens?$/.test(word))
    return !words.some((other) => COUNTS.has(other)) && !/^token(?:count|limit|usage)s?$/.test(word);
  if (SECRET_KEY.test(withBefore) || SECRET_CODE.test(withBefore)) return true;
  if (/^(?:github|gitlab|gh|gl|azure|devops|jira)pat$/.test(withBefore)) return true;
  if (word.endsWith('pass') && word !== 'pass') return !NOT_A_PASS.test(word);
  return index === words.length - 1 && LAST_WORDS.has(word);
}

function wordsOf(name: string): string[] {
  return name
    .split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

const DISGUISED = /\p{L}[013457@$]+\p{L}/u;
const DIGITS_AS_LETTERS: Record<string, string> = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's' };

/** Reads digits as letters, as in `p4ssw0rd`. */
function withoutDigits(name: string): string {
  const read = (text: string) => Array.from(text, (digit) => DIGITS_AS_LETTERS[digit]).join('');
  return name.replace(/(?<=\p{L})[013457@$]+(?=\p{L})/gu, read);
}
