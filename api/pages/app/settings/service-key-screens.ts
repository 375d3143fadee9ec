import { rotateOwnDataKey } from '../../../../commands/access/rotate-encryption-key.ts';
import { rotateOAuthKeys } from '../../../../commands/oauth/oauth-keys.ts';
import { OAUTH_KEY_SECONDS } from '../../../../domain/oauth/oauth.ts';
import { findDataKeyAge } from '../../../../store/data-keys.ts';
import { listOAuthKeyStarts } from '../../../../store/oauth-keys.ts';
import { findOnlyOrg } from '../../../../store/orgs.ts';
import { findReceiptKeyAge } from '../../../../store/receipt-keys.ts';
import { notFound } from '../../../route.ts';
import { showDuration } from '../../layout/show-time.ts';
import { confirmPage } from '../confirm-page.ts';
import { consequencesOf } from '../consequences.ts';
import { type Cell, listView } from '../list.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';

const PATH = '/settings/keys';
const DAYS = OAUTH_KEY_SECONDS.signs / 86_400;

const ENCRYPTION = {
  question: 'Rotate the encryption key?',
  consequences: [
    'The data key of this organization is wrapped again with the first key of ENCRYPTION_KEYS. Stored secrets stay as they are, and nothing stops.',
    'Processes without that key can no longer read secrets. First add the key to ENCRYPTION_KEYS of all processes.',
  ],
  ...{ button: 'Rotate encryption key', back: PATH },
};

const SIGNING = {
  question: 'Rotate the signing and cookie keys?',
  consequences: [
    'A new key is published now and used for signing after one hour. The present keys are accepted for one more day. Nobody is signed out.',
    'After a leak, use the command npm run admin -- rotate-oauth-keys --at-once instead: people who are signing in must start again.',
  ],
  ...{ button: 'Rotate signing keys', back: PATH },
};

/** Screens for owners that show the ages of keys and rotate keys. */
export const serviceKeyScreens: readonly Screen[] = [
  { ...{ path: PATH, role: 'owner', navigation: 'Settings', settings: 'Keys' }, get: keysPage },
  {
    ...{ path: `${PATH}/encryption/rotate`, role: 'owner', isRecent: true, navigation: 'Settings' },
    get: (visit) => questionPage(visit, ENCRYPTION, 'encryptionKey'),
    post: async ({ gateway, principal }) => {
      const isRotated = await rotateOwnDataKey(gateway, principal);
      return { seeOther: PATH, done: isRotated ? 'The encryption key is rotated.' : 'The first encryption key is already in use.' };
    },
  },
  {
    ...{ path: `${PATH}/signing/rotate`, role: 'owner', isRecent: true, navigation: 'Settings' },
    get: async (visit) => {
      await assertOnlyOrg(visit);
      return questionPage(visit, SIGNING, 'signingKeys');
    },
    post: async (visit) => {
      await assertOnlyOrg(visit);
      await rotateOAuthKeys(visit.gateway, { atOnce: false, by: visit.principal });
      return { seeOther: PATH, done: 'New signing keys are published. They are used after one hour.' };
    },
  },
];

async function questionPage(visit: Visit, asked: typeof ENCRYPTION, kind: 'encryptionKey' | 'signingKeys'): Promise<AppPage> {
  const used = await consequencesOf(visit, kind, visit.member.orgId);
  return confirmPage({ ...asked, consequences: [...asked.consequences, ...used] });
}

/** Throws NOT_FOUND if there are several organizations, because they share the signing keys. */
async function assertOnlyOrg({ gateway }: Visit): Promise<void> {
  if (!(await findOnlyOrg(gateway.db))) throw notFound();
}

async function keysPage(visit: Visit): Promise<AppPage> {
  const { gateway, member } = visit;
  const { db, vault, receipts } = gateway;
  const [dataKey, starts, receiptKey, onlyOrg] = await Promise.all([
    findDataKeyAge(db, member.orgId),
    listOAuthKeyStarts(db),
    findReceiptKeyAge(db, receipts.kid),
    findOnlyOrg(db),
  ]);
  const now = Date.now();
  const signing = starts.find(({ signsFrom }) => signsFrom.getTime() <= now)?.signsFrom;
  const next = starts.some(({ signsFrom }) => signsFrom.getTime() > now);
  const state = next ? 'A new key signs within an hour' : `Replaced automatically after ${DAYS} days`;
  const isOld = dataKey !== undefined && dataKey.kekId !== vault.keyIds[0];
  const rotateEncryption = button('Rotate encryption key', `${PATH}/encryption/rotate`);
  const rotateSigning: Cell = onlyOrg ? button('Rotate signing keys', `${PATH}/signing/rotate`) : 'npm run admin -- rotate-oauth-keys';
  const rows: Cell[][] = [
    [
      { text: 'Encryption key', hint: 'Encrypts the secrets of connections and webhooks.' },
      ageOf(dataKey?.createdAt),
      isOld
        ? { state: `Wrapped with "${dataKey.kekId}", not with the first key`, tone: 'waiting' }
        : { state: `Wrapped with "${vault.keyIds[0]}"`, tone: 'good' },
      rotateEncryption,
    ],
    [{ text: 'Signing keys', hint: 'Of the authorization server for MCP clients.' }, ageOf(signing), state, rotateSigning],
    [
      { text: 'Cookie keys', hint: 'Bind a sign-in to its browser. They are rotated with the signing keys.' },
      ageOf(signing),
      state,
      rotateSigning,
    ],
    [
      { text: 'Receipts key', hint: `Signs receipts of approvals: ${receipts.kid}` },
      ageOf(receiptKey),
      'Former receipts stay verifiable',
      'npm run admin -- rotate-receipt-key, then restart',
    ],
  ];
  const list = listView(visit, {
    ...{ name: 'Keys', plural: 'keys', about: '' },
    columns: ['Key', 'Age', 'State', 'Rotation'],
    rows: rows.map((row, place) => (place === 2 && onlyOrg ? [...row.slice(0, 3), 'With the signing keys'] : row)),
  });
  return { title: 'Settings', template: 'settings/keys', data: { list } };
}

function button(label: string, href: string): Cell {
  return { buttons: [{ label, name: label, href }] };
}

function ageOf(since: Date | undefined): string {
  return since === undefined ? 'Not used yet' : showDuration(Date.now() - since.getTime());
}
