import { openSourceAddress } from '../../infra/addresses/source-address.ts';
import { SetupError } from '../../infra/config.ts';

const PROXY = '10.0.0.7';
const behind = openSourceAddress(['10.0.0.0/8', '2001:db8:1::7']);

test('without trusted proxies, the source is the address of the socket', () => {
  const direct = openSourceAddress([]);
  expect(direct('192.0.2.1', '198.51.100.9')).toBe('192.0.2.1');
  expect(direct('127.0.0.1', '127.0.0.1, 198.51.100.9')).toBe('127.0.0.1');
});

test.each([
  ['the hop that the proxy added', PROXY, '198.51.100.9', '198.51.100.9'],
  ['the hop that the proxy added, not the hops that the caller wrote', PROXY, '203.0.113.1, 198.51.100.9', '198.51.100.9'],
  ['the hop that the proxy added, even if the caller names the proxy', PROXY, `203.0.113.1, ${PROXY}, 198.51.100.9`, '198.51.100.9'],
  ['the hop before the proxies, if there are two', PROXY, '203.0.113.1, 198.51.100.9, 10.9.9.9', '198.51.100.9'],
  ['the first hop, if all hops are proxies', PROXY, '10.1.1.1, 10.9.9.9', '10.1.1.1'],
  ['the socket, if the caller is not a proxy', '192.0.2.1', '198.51.100.9', '192.0.2.1'],
  ['the proxy itself, without the header', PROXY, '', PROXY],
  ['the proxy itself, if the hop is not an address', PROXY, '198.51.100.9, unknown', PROXY],
  ['an address with a port', PROXY, '198.51.100.9:4711', '198.51.100.9'],
  ['the IPv4 address within an IPv6 address', `::ffff:${PROXY}`, '::ffff:198.51.100.9', '198.51.100.9'],
  ['the hop that an IPv6 proxy added, however its address is written', '2001:0db8:0001:0:0:0:0:7', '198.51.100.9', '198.51.100.9'],
  ['the network of an IPv6 source', PROXY, '[2001:db8:2:3:4:5:6:7]:4711', '2001:db8:2:3::/64'],
  ['the proxy itself, if the hop is an address in an unusual notation', PROXY, '0x7f.1', PROXY],
])('the source is %s', (_, socket, forwardedFor, source) => {
  expect(behind(socket, forwardedFor)).toBe(source);
});

test('the source of a closed socket is `unknown`', () => {
  expect(behind(undefined, '198.51.100.9')).toBe('unknown');
});

test.each(['everywhere', '10.0.0.0/99', '10.0.0', '10.0.0.1:80'])('TRUSTED_PROXIES refuses %s', (text) => {
  expect(() => openSourceAddress([text])).toThrow(SetupError);
  expect(() => openSourceAddress([text])).toThrow(`TRUSTED_PROXIES holds "${text}`);
});
