import { REDACTED } from './redacted.ts';

/** Hides what has the form of a credential in a text. Of a URL, only the secret part is hidden. */
export function hideCredentials(text: string): string {
  let shown = text;
  for (const [pattern, isMeant] of PATTERNS) {
    shown = shown.replace(pattern, (...found) => {
      const [whole, before, secret] = found as [string, string, string];
      return isMeant && !isMeant(secret) ? whole : before + REDACTED;
    });
  }
  return shown;
}

const TAIL = '[0-9A-Za-z._~+/=-]*';

const VENDOR_TOKENS = [
  '(?:svc|mcp|mcpo|eut|cst)_[0-9A-Za-z]{20}',
  'apr_link_v1_[0-9A-Za-z]{20}',
  'whsec_[0-9A-Za-z+/=]{16}|[sr]k_(?:live|test)_[0-9A-Za-z]{16}|sk-(?:proj|ant)-[0-9A-Za-z_-]{16}|sk-or-v\\d-[0-9A-Za-z]{16}',
  '(?:gh[pousr]|glpat|gldt|glrt|glcbt|glptt|glft|glsoat|glimt|glagent)[-_][0-9A-Za-z_-]{16}|github_pat_[0-9A-Za-z_]{20}',
  'xox[abceoprs]-[0-9A-Za-z-]{10}|xapp-[0-9A-Za-z-]{20}|xkeysib-[0-9a-f]{20}',
  'A(?:KIA|SIA)[0-9A-Z]{16}(?![0-9A-Za-z])',
  'AIza[0-9A-Za-z_-]{30}|GOCSPX-[0-9A-Za-z_-]{20}|ya29\\.[0-9A-Za-z_-]{20}|1//0[0-9A-Za-z_-]{30}',
  'SG\\.[0-9A-Za-z_-]{16,32}\\.[0-9A-Za-z_-]{16}|SK[0-9a-f]{32}|key-[0-9a-z]{32}|[0-9a-f]{32}-us\\d',
  'npm_[0-9A-Za-z]{30}|pypi-[0-9A-Za-z_-]{30}|rubygems_[0-9a-f]{30}|dckr_(?:pat|oat)_[0-9A-Za-z_-]{16}|cio[0-9A-Za-z]{32}(?![0-9A-Za-z])',
  '(?:bot)?\\d{8,10}:AA[0-9A-Za-z_-]{30}|[MNO][0-9A-Za-z_-]{23,27}\\.[0-9A-Za-z_-]{6}\\.[0-9A-Za-z_-]{25}',
  'shp(?:at|ca|pa|ss|tka|ua)_[0-9a-fA-F]{30}|do[opr]_v1_[0-9a-f]{40}|hf_[0-9A-Za-z]{30}|api_org_[0-9A-Za-z]{30}',
  'sq0(?:atp|csp|idp)-[0-9A-Za-z_-]{20}|EAAA[0-9A-Za-z_-]{50}|EAA[A-Z][0-9A-Za-z]{80}|rzp_(?:live|test)_[0-9A-Za-z]{14}',
  'NRAK-[0-9A-Z]{20}|NRJS-[0-9a-f]{15}|gl(?:sa|c)_[0-9A-Za-z+/=_]{30}|dapi[0-9a-f]{32}|dp\\.(?:pt|st|ct|sa)\\.[0-9A-Za-z]{30}',
  'lin_(?:api|oauth)_[0-9A-Za-z]{30}|ntn_[0-9A-Za-z]{30}|secret_[0-9A-Za-z]{40}|pat[0-9A-Za-z]{14}\\.[0-9a-f]{40}|figd_[0-9A-Za-z_-]{30}|ATATT3x[0-9A-Za-z_=-]{40}|ATCTT3x[0-9A-Za-z_=-]{40}',
  'hv[sbr]\\.[0-9A-Za-z_-]{20}|tskey-[0-9A-Za-z-]{16}|pul-[0-9a-f]{40}|PMAK-[0-9a-f-]{30}|pscale_(?:tkn|pw|oauth)_[0-9A-Za-z_.-]{30}|sbp_[0-9a-f]{30}|sl\\.[0-9A-Za-z_-]{60}',
  'gsk_[0-9A-Za-z]{30}|pplx-[0-9A-Za-z]{30}|r8_[0-9A-Za-z]{30}|xai-[0-9A-Za-z]{30}|sntry[su]_[0-9A-Za-z_=+/-]{30}|CCIPAT_[0-9A-Za-z_]{30}|HRKU-[0-9A-Za-z_-]{30}|FLWSECK[-_][0-9A-Za-z_-]{20}',
  'AGE-SECRET-KEY-1[0-9A-Z]{40}|access-(?:sandbox|development|production)-[0-9a-f-]{36}|[0-9A-Za-z_~.-]{3}8Q~[0-9A-Za-z_~.-]{31}|v1\\.0-[0-9a-f]{20}-[0-9a-f]{40}',
  'MI[IG][0-9A-Za-z+/]{1,6}IBA(?:DAN|AKC)[0-9A-Za-z+/]{40}|b3BlbnNzaC1rZXktdj[0-9A-Za-z+/]{20}',
];

const isMixed = (text: string) => /\d/.test(text) && /[A-Za-z]/.test(text);
const isOfAnyCase = (text: string) => isMixed(text) && /[A-Z]/.test(text) && /[a-z]/.test(text);
const isPairInBase64 = (text: string) => {
  try {
    const decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, ''));
    return text.length < 8 ? /^[\x21-\x7e]+:[\x20-\x7e]*$/.test(decoded) : decoded.includes(':'); // a short text may be a word after "basic"
  } catch {
    return false;
  }
};

/** The first group is the context of the secret and is kept. Each pattern takes linear time. */
const PATTERNS: [pattern: RegExp, isMeant?: (secret: string) => boolean][] = [
  [/()-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----END))*(?:-----END [A-Z0-9 ]{0,40}-----)?/g],
  [/(\bPuTTY-User-Key-File-\d:).*/gs],
  [/(A(?:KIA|SIA)[0-9A-Z]{16}[^\n]{0,200}?[\s,:;|"'])([0-9A-Za-z/+]{40})(?![0-9A-Za-z/+=])/g, isOfAnyCase],
  [new RegExp(`(?<![0-9A-Za-z])()((?:${VENDOR_TOKENS.join('|')})${TAIL})`, 'g')],
  [/(?<![0-9A-Za-z])()((?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_0-9A-Za-z]{16,})/g, (token) => /\d/.test(token)],
  [/(?<![\w-])()(?=[\w-]+\.[\w-]{8,}\.)([\w-]*eyJ[\w-]{8,}\.[\w.-]*)/g],
  [/(\bbearer\s+)([0-9A-Za-z._~+/=-]{8,})/gi, (token) => isMixed(token) || token.length > 30],
  [/(\bbasic\s+)([0-9A-Za-z+/_-]{3,}=*)/gi, isPairInBase64],
  [/(\bhooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/)([\w/-]+)/gi],
  [/(\bdiscord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/)([\w-]+)/gi],
  [/(\bhooks\.zapier\.com\/hooks\/catch\/)([\w/-]+)/gi],
  [/(\b(?:[\w-]{1,63}\.)?webhook\.office\.com\/webhookb2\/)([\w@/-]+)/gi],
  [/(\bjdbc:oracle:\w{1,10}:[^\s/@]{1,64}\/)([^\s@]{1,200})(?=@)/gi],
  [/(:\/\/[^\s/:@?#]{0,200}:)(?!\d{1,5}[?#])([^\s/]{1,500})(?=@)/g, (secret) => secret !== REDACTED],
  [/((?<!https?):\/\/[^\s/:@?#]{0,200}:)([^\s@"'<>]{1,300})(?=@)/gi, (secret) => secret !== REDACTED],
  [/(:\/\/)([0-9A-Za-z_%.~-]{20,300})(?=@)/g, isMixed],
  [/^(\s*)([0-9A-Za-z/+]{40})(?=\s*$)/g, isOfAnyCase],
];
