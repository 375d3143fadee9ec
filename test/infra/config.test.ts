import { changedVariables } from '../../infra/config.ts';

test('variables that differ from the default are listed, secrets without their values', () => {
  const env = {
    PATH: '/bin',
    PORT: '8080',
    HOST: '',
    DATA_DIR: '/srv/gateway',
    OUTBOUND_ALLOW_HTTP: '1',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8,10.0.0.0/8',
    ADVANCED_CODE_UNCONFINED: '0',
    DATABASE_URL: 'postgres://gateway:secret@db/gateway',
    ENCRYPTION_KEYS: 'first:secret',
    TOKEN_PEPPER: 'secret',
    RECEIPT_SIGNING_KEY: 'secret',
    MODEL_API_KEY: 'secret',
    SMTP_URL: 'smtps://user:secret@mail.example.com',
  };
  expect(changedVariables(env)).toEqual([
    'DATA_DIR=/srv/gateway',
    'DATABASE_URL=…',
    'ENCRYPTION_KEYS=…',
    'TOKEN_PEPPER=…',
    'RECEIPT_SIGNING_KEY=…',
    'OUTBOUND_ALLOW_HTTP=1',
    'OUTBOUND_ALLOW_CIDRS=127.0.0.0/8,10.0.0.0/8',
    'MODEL_API_KEY=…',
    'SMTP_URL=…',
  ]);
});
