import { describe, expect, test } from '@jest/globals';
import { addressJudge, isSameAddress } from '../../infra/addresses/outbound-address.ts';
import { openOutbound } from '../../infra/outbound.ts';

const judge = addressJudge([]);

const DENIED = [
  ...[
    '0.0.0.0',
    '0.255.255.255',
    '10.0.0.0',
    '10.255.255.255',
    '100.64.0.0',
    '100.127.255.255',
    '127.0.0.0',
    '127.0.0.1',
    '127.255.255.255',
  ],
  ...[
    '169.254.0.0',
    '169.254.169.254',
    '169.254.255.255',
    '172.16.0.0',
    '172.31.255.255',
    '192.0.0.0',
    '192.0.0.170',
    '192.0.0.255',
    '192.0.2.0',
    '192.0.2.255',
  ],
  ...[
    '192.31.196.1',
    '192.52.193.1',
    '192.88.99.0',
    '192.88.99.255',
    '192.168.0.0',
    '192.168.255.255',
    '192.175.48.1',
    '198.18.0.0',
    '198.19.255.255',
  ],
  ...[
    '198.51.100.0',
    '198.51.100.255',
    '203.0.113.0',
    '203.0.113.255',
    '224.0.0.0',
    '239.255.255.255',
    '240.0.0.0',
    '255.255.255.254',
    '255.255.255.255',
  ],
  ...['::', '::1', '::7f00:1', '::8.8.8.8', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1'],
  ...[
    '64:ff9b::',
    '64:ff9b::7f00:1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '100::1',
    '100:0:0:1::1',
    '2001::',
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  ],
  ...[
    '2001:1::1',
    '2001:2::1',
    '2001:3::1',
    '2001:4:112::1',
    '2001:10::1',
    '2001:20::1',
    '2001:30::1',
    '2001:1ff:ffff::1',
    '2001:db8::1',
    '2001:db8:ffff::',
  ],
  ...['2002::1', '2002:7f00:1::', '2002:a00:1::1', '2620:4f:8000::1', '3fff::1', '3fff:fff::1', '5f00::1', '4000::1', '8000::1', 'e000::1'],
  ...[
    'fc00::1',
    'fd00::1',
    'fd00:ec2::254',
    'fdff:ffff::1',
    'fe80::1',
    'fe80::1%lo',
    'febf::1',
    'fec0::1',
    'feff::1',
    'ff00::1',
    'ff02::1',
    'ffff::1',
  ],
];
const PUBLIC = [
  ...[
    '1.0.0.0',
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
  ],
  ...[
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.0.3.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '203.0.112.255',
    '203.0.114.0',
    '223.255.255.255',
  ],
  ...[
    '2001:200::1',
    '2001:4860:4860::8888',
    '2001:db7::1',
    '2001:db9::1',
    '2003::1',
    '2606:4700:4700::1111',
    '2620:fe::fe',
    '2a00:1450::1',
    '3ffe::1',
  ],
];

describe('addresses', () => {
  test.each(DENIED)('%s is denied', (address) => expect(judge(address)).toBe('denied'));
  test.each(PUBLIC)('%s is public', (address) => expect(judge(address)).toBe('public'));

  test.each(['', 'example.com', '0x7f.1', '2130706433', '017700000001', '127.1', '8.8.8', '8.8.8.8/32', '[::1]', '8.8.8.8 '])(
    '%j is not an address and is denied',
    (text) => expect(judge(text)).toBe('denied'),
  );

  test('the configured ranges are allowed in addition to public addresses', () => {
    const judge = addressJudge(['127.0.0.0/8', 'fd12::/16']);
    expect(['127.0.0.1', '127.255.0.1', 'fd12::1'].map(judge)).toEqual(['configured', 'configured', 'configured']);
    expect(['126.0.0.1', '10.0.0.1', '::1', 'fd13::1', '::ffff:127.0.0.1', '::127.0.0.1'].map(judge)).toEqual([
      'public',
      'denied',
      'denied',
      'denied',
      'denied',
      'denied',
    ]);
  });

  test.each(['127.0.0.1', '127.0.0.0/33', 'localhost/8', 'fd12::/129', ''])('the range %j is refused at start', (cidr) =>
    expect(() => openOutbound({ allowHttp: false, allowCidrs: [cidr] })).toThrow(/OUTBOUND_ALLOW_CIDRS/),
  );

  test('two notations of one address are equal, and different addresses differ', () => {
    expect(isSameAddress('2606:4700::1111', '2606:4700:0:0:0:0:0:1111')).toBe(true);
    expect(isSameAddress('8.8.8.8', '8.8.8.8')).toBe(true);
    expect(isSameAddress('8.8.8.8', '8.8.4.4')).toBe(false);
    expect(isSameAddress('8.8.8.8', '')).toBe(false);
  });
});

describe('URLs', () => {
  const { checkUrl } = openOutbound({ allowHttp: false, allowCidrs: [] });
  const refused = expect.objectContaining({ code: 'VALIDATION_ERROR' });

  test.each([
    'https://example.com',
    'https://example.com:443/a?b#c',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://bücher.example/',
    'HTTPS://EXAMPLE.COM./',
  ])('%s is allowed', (url) => expect(checkUrl(url)).toBeUndefined());

  test.each([
    ...[
      '',
      'example.com',
      '//example.com',
      'https://',
      'https:///',
      'https://exa mple.com',
      'https://[fe80::1%25lo]/',
      `https://example.com/${'a'.repeat(20_000)}`,
    ],
    ...[
      'http://example.com',
      'ftp://example.com',
      'file:///etc/passwd',
      'data:text/plain,x',
      'javascript:alert(1)',
      'ws://example.com',
      'unix:/var/run/docker.sock',
    ],
    ...['https://user@example.com', 'https://user:pw@example.com', 'https://:pw@example.com', 'https://example.com@127.0.0.1/'],
    ...['https://example.com:80', 'https://example.com:8443', 'https://8.8.8.8:22'],
    ...[
      'https://127.0.0.1',
      'https://127.1',
      'https://0x7f.1',
      'https://0x7f000001',
      'https://2130706433',
      'https://017700000001',
      'https://0177.0.0.1',
      'https://127.0.0.1.',
    ],
    ...[
      'https://１２７.0.0.1',
      'https://127。0。0。1',
      'https://%31%32%37.0.0.1',
      'https://0',
      'https://0.0.0.0',
      'https://169.254.169.254/latest/meta-data',
    ],
    ...[
      'https://[::1]',
      'https://[::]',
      'https://[::ffff:127.0.0.1]',
      'https://[::ffff:7f00:1]',
      'https://[::127.0.0.1]',
      'https://[64:ff9b::7f00:1]',
      'https://[2002:7f00:1::]',
      'https://[fd00:ec2::254]',
    ],
    ...['https://localhost', 'https://LOCALHOST', 'https://localhost.', 'https://a.localhost'],
  ])('%s is refused', (url) => expect(() => checkUrl(url)).toThrow(refused));

  test('the error never contains the path, the query or the password', () => {
    const secret = 'hunter2';
    for (const url of [`http://example.com/${secret}?t=${secret}`, `https://u:${secret}@example.com/`, `https://127.0.0.1/${secret}`]) {
      expect(() => checkUrl(url)).not.toThrow(new RegExp(secret));
      expect(() => checkUrl(url)).toThrow(refused);
    }
  });

  test('development settings allow plain HTTP, other ports and the configured ranges, and nothing else', () => {
    const { checkUrl } = openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] });
    for (const url of ['http://example.com', 'https://example.com:8443', 'http://127.0.0.1:3000/', 'http://localhost:3000/'])
      expect(checkUrl(url)).toBeUndefined();
    for (const url of ['http://10.0.0.1', 'http://[::1]', 'ftp://127.0.0.1', 'http://u:p@127.0.0.1'])
      expect(() => checkUrl(url)).toThrow(refused);
  });
});
