import { LRUCache } from 'lru-cache';

export interface SlotLimits {
  total: number;
  ofOrg: number;
  ofDestination: number;
  /** Slots of a silent destination, which is one whose last finished attempt timed out. */
  ofSilentDestination: number;
}

interface Destination {
  endpointId: string;
  orgId: string;
}

interface Room {
  total: number;
  /** Free slots of each destination that is not in `rooms`. */
  ofDestination: number;
  /**
   * Free slots by endpoint id, of destinations with deliveries in flight and of silent
   * destinations.
   */
  rooms: Record<string, number>;
  fullEndpoints: string[];
  fullOrgs: string[];
}

const MAX_SILENT_KNOWN = 1000;

/**
 * Counts deliveries in flight. The limits keep slots free for destinations that answer, and prevent
 * one organization from taking all slots.
 */
export class DestinationSlots {
  readonly #limits: SlotLimits;
  readonly #ofEndpoint = new Map<string, number>();
  readonly #ofOrg = new Map<string, number>();
  readonly #silent = new LRUCache<string, true>({ max: MAX_SILENT_KNOWN });
  #taken = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  take({ endpointId, orgId }: Destination): void {
    this.#taken += 1;
    add(this.#ofEndpoint, endpointId, 1);
    add(this.#ofOrg, orgId, 1);
  }

  free({ endpointId, orgId }: Destination, isSilent: boolean): void {
    this.#taken -= 1;
    add(this.#ofEndpoint, endpointId, -1);
    add(this.#ofOrg, orgId, -1);
    if (isSilent) this.#silent.set(endpointId, true);
    else this.#silent.delete(endpointId);
  }

  room(): Room {
    const { total, ofOrg, ofDestination } = this.#limits;
    const known = new Set([...this.#ofEndpoint.keys(), ...this.#silent.keys()]);
    const rooms = Object.fromEntries([...known].map((endpointId) => [endpointId, this.#roomOf(endpointId)]));
    return {
      total: Math.max(0, total - this.#taken),
      ofDestination,
      rooms,
      fullEndpoints: Object.keys(rooms).filter((endpointId) => rooms[endpointId] === 0),
      fullOrgs: [...this.#ofOrg].filter(([, count]) => count >= ofOrg).map(([orgId]) => orgId),
    };
  }

  #roomOf(endpointId: string): number {
    const limit = this.#silent.has(endpointId) ? this.#limits.ofSilentDestination : this.#limits.ofDestination;
    return Math.max(0, limit - (this.#ofEndpoint.get(endpointId) ?? 0));
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
