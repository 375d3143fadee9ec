import type { Config } from './config.ts';

/**
 * Returns warnings about settings that weaken a protection (contract decisions 3, Destinations; 7,
 * Signals).
 */
export function developmentWarnings({ outbound, advancedCode, operatorSignals }: Config): string[] {
  const allowed = [
    ...(outbound.allowHttp ? ['plain HTTP (OUTBOUND_ALLOW_HTTP)'] : []),
    ...(outbound.allowCidrs.length > 0 ? [`the private addresses ${outbound.allowCidrs.join(', ')} (OUTBOUND_ALLOW_CIDRS)`] : []),
  ];
  return [
    ...(allowed.length > 0
      ? [`WARNING: callers may reach ${allowed.join(' and ')}. This is for development, never for a service that others use.`]
      : []),
    ...(outbound.resolve.length > 0
      ? [
          `WARNING: requests, and the credentials in them, go to other addresses than those of their hosts: ${outbound.resolve.join(', ')} (OUTBOUND_RESOLVE). This is for development, never for a service that others use.`,
        ]
      : []),
    ...(advancedCode.allowsUnconfined
      ? [
          'WARNING: where this machine cannot confine them, Python and shell programs of callers run with its network and its files (ADVANCED_CODE_UNCONFINED). This is for callers that you trust as you trust yourself.',
        ]
      : []),
    ...(operatorSignals === 'trusted'
      ? [
          'WARNING: anyone with access to Temporal can approve every request by a signal (OPERATOR_SIGNALS=trusted). Use this only with a Temporal server that authorizes its users, never with the embedded one.',
        ]
      : []),
  ];
}
