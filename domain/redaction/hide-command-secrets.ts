import { isSecretName } from './is-secret-name.ts';
import { REDACTED } from './redacted.ts';

/** Hides secrets in command lines, SQL, `.netrc`, code, YAML, sentences and URL paths. */
export function hideCommandSecrets(text: string): string {
  return PATTERNS.reduce((shown, [pattern, isMeant]) => {
    return shown.replace(pattern, (whole: string, ...found) => {
      const { name = '', secret } = found.at(-1) as { name?: string; secret: string };
      if (isPlaceholder(secret) || !isMeant(name, secret)) return whole;
      const quote = /^(\\?["'`]).*\1$/s.exec(secret)?.[1] ?? '';
      return `${whole.slice(0, -secret.length)}${quote}${REDACTED}${quote}`;
    });
  }, text);
}

/** Whether a value is a reference or a placeholder, which reveals nothing. */
function isPlaceholder(secret: string): boolean {
  return secret.includes(REDACTED) || /^["'`]?(?:\$[A-Z_]+|\$?\{\{?[\w.: -]*\}?\}|<[\w -]*>|\*+|\?|%s)["'`]?$/.test(secret);
}

type IsMeant = (name: string, secret: string) => boolean;

const always: IsMeant = () => true;
const named: IsMeant = (name) => isSecretName(name);
const isPair: IsMeant = (_, secret) => !/^\d+$/.test(secret);
const isSaid: IsMeant = (name, secret) => isSecretName(name) && /[\d!@#$%^&*]/.test(secret) && !/^\d{1,3}$/.test(secret);
const isMixed: IsMeant = (name, secret) => isSecretName(name) && /\d/.test(secret) && /[A-Za-z]/.test(secret);

const isPasswordLike: IsMeant = (_, secret) => /^(["']?)(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])[^\s"'/:.,=]{6,}\1$/.test(secret);
const OTHER_P = [
  ...['mkdir', 'cp', 'scp', 'ssh', 'ls', 'ps', 'read', 'test', 'touch', 'nc', 'nmap', 'patch', 'git', 'make', 'install'],
  ...['docker', 'podman', 'docker-compose', 'kubectl', 'nix-shell', 'virtualenv', 'python', 'pytest', 'uv', 'tsc', 'cargo'],
  ...['npm', 'npx', 'pnpm', 'aws', 'journalctl'],
].join('|');

const QUOTED = String.raw`(?<secret>"(?:[^"\\]|\\.){1,500}"|'(?:[^'\\]|\\.){1,500}')`;

/** Each pattern ends with a secret. Repetitions are bounded, so that matching takes linear time. */
const PATTERNS: [RegExp, IsMeant][] = [
  // curl -u user:password
  [/(?<=^|[\s"'])(?:-u|-U|--user|--proxy-user)[\s=,"']{0,4}[^\s:"'@]{0,100}:(?<secret>[^\s"']{1,300})/g, isPair],
  // --token VALUE, "-password", "VALUE"
  [
    /(?<=^|[\s"'[(])--?(?<name>[A-Za-z][\w-]{1,40})["']?,?[ \t]{1,8}(?<secret>"(?:[^"\\]|\\.){1,500}"|'(?:[^'\\]|\\.){1,500}'|[^\s"'-][^\s"']{0,500})/g,
    named,
  ],
  [/\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]{0,200}?\s-p(?<secret>[^\s]{1,200})/g, always],
  [/\bsshpass\s{1,4}-p\s?(?<secret>"[^"\n]{1,200}"|'[^'\n]{1,200}'|[^\s"']{1,200})/g, always],
  // login -u name -p VALUE; -p VALUE, unless the program has another meaning for -p
  [/\blogin\b[^\n|;&]{0,200}?\s-p[ \t=]{1,4}(?<secret>"[^"\n]{1,200}"|'[^'\n]{1,200}'|[^\s"'-][^\s"']{0,199})/g, always],
  [
    new RegExp(
      String.raw`(?<=^|[\s"'])(?<!(?<![\w-])(?:${OTHER_P})\s[^\n|;&]{0,200})-p[ \t=]{1,4}(?<secret>"[^"\n]{1,200}"|'[^'\n]{1,200}'|[^\s"'-][^\s"']{0,199})`,
      'g',
    ),
    isPasswordLike,
  ],
  // SQL
  [new RegExp(String.raw`\bidentified\s{1,4}(?:with\s{1,4}\S{1,60}\s{1,4})?(?:by|as)\s{1,4}(?:password\s{1,4})?${QUOTED}`, 'gi'), always],
  [new RegExp(String.raw`(?=\s{1,4}["'])(?<=(?<![\p{L}_])(?<name>[\p{L}_]{3,40}))\s{1,4}${QUOTED}`, 'gu'), named],
  // .netrc
  [/\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8}(?<secret>\S{1,300})/g, always],
  // set('Authorization', 'value'), env['TOKEN'] = 'value'
  [new RegExp(String.raw`[([]\s{0,4}["'](?<name>[\w .-]{2,60})["']\s{0,4}(?:,|\]\s{0,4}=)\s{0,4}${QUOTED}`, 'g'), named],
  // name: DB_PASSWORD, and its value on the next line
  [/\b(?:name|key):[ \t]{1,8}["']?(?<name>[\w.-]{2,60})["']?[ \t]{0,8}\r?\n[ \t]{0,40}value:[ \t]{1,8}(?<secret>[^\r\n]{1,500})/g, named],
  // cvv 123, the password is VALUE
  [/\b(?:cvv2?|cvc2?|cvn|security code|card code|pin|pin code|otp|passcode)\b\W{0,3}(?:is )?(?<secret>\d{3,8})(?!\d)/gi, always],
  [
    /(?=\s(?:is|was|will be|ist|es|est|são|=>|->)\s)(?<=(?<![\p{L}_-])(?<name>[\p{L}_-]{3,40}(?: (?:key|phrase|token|word|code))?))\s\S{2,4}\s{1,3}(?:be )?(?:now )?(?<secret>"[^"]{1,300}"|'[^']{1,300}'|[^\s,"']{4,300})/giu,
    isSaid,
  ],
  // a path segment after a segment that names a secret
  [/(?<=\/(?<name>[\w-]{3,60}))\/(?<secret>[\w.~%-]{12,500})/g, isMixed],
];
