import { safeNfkc } from '../policies/normal-text.ts';

/**
 * Whether a name contains a word for a secret in another language than English. `plain` is the name
 * in lower-case Latin letters without accents.
 */
export function holdsForeignSecretWord(name: string, plain: string): boolean {
  return LATIN.test(plain) || OTHER_SCRIPTS.test(safeNfkc(name).toLowerCase());
}

/**
 * Words in German, French, Spanish, Portuguese, Italian, Dutch, Nordic, Polish, Czech, Hungarian,
 * Finnish, Turkish, Romanian, Vietnamese, Indonesian.
 */
const LATIN = new RegExp(
  [
    'contrasen(?:y|i)?a|passwort|kennwort|geheimzahl|geheimnis|geheimschl|motdepasse|motspasse|^mdp|mdp$|senhas?$|^senha|palavrapasse|parolachiave',
    'wachtwoord|toegangscode|losenord|passord|adgangskode|haslo|heslo|jelszo|salasana|^parolas?$|^parole?$|^sifre|sifresi$|matkhau|katasandi',
    'cle(?:api|secrete|privee|dacces)|chave(?:api|secreta|privada|deacesso)|claves?(?:api|secretas?|privadas?|deacceso|acceso)|^claves?$|chiave(?:api|segreta|privata)|segreto',
    'schlussel|schluessel|apisleutel|geheimesleutel|jeton(?:dacces)?s?$|^jeton|kreditkarte|kartennummer|cartebancaire|numerodecarte|numerotarjeta|numerodetarjeta|tarjetadecredito|numerocarta|cartaodecredito|numerodocartao',
  ].join('|'),
);

const OTHER_SCRIPTS = new RegExp(
  [
    'парол|секрет|токен|(?:апи|api|приватн|закрыт|доступа|ключ\\P{L}?api).{0,6}ключ|ключ.{0,3}(?:апи|api|доступа|шифр)|пин.?код|номер.{0,2}карт|κωδικ[οό]ς|συνθηματ',
    '密码|密碼|口令|密钥|密鑰|秘钥|令牌|私钥|私鑰|卡号|卡號|验证码|驗證碼|パスワード|暗証番号|秘密鍵|シークレット|トークン|apiキー|비밀번호|암호|비밀.?키|토큰|인증.?키|카드.?번호',
    'כלמת|סיסמ|كلمة.?(?:ال)?(?:مرور|سر)|كلمه.?(?:ال)?(?:مرور|سر)|رمز.?(?:ال)?(?:مرور|سري|عبور)|گذرواژه|पासवर्ड|रहस्य|รหัสผ่าน|גישה.?קוד',
  ].join('|'),
  'u',
);
