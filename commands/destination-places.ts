import { LRUCache } from 'lru-cache';

export interface PlaceLimits {
  total: number;
  ofOrg: number;
  ofDestination: number;
  /** Of a destination that kept us waiting for all the time there is, until it answers again. */
  ofSilentDestination: number;
}

interface Destination {
  endpointId: string;
  orgId: string;
}

/** What there is room for, as claims need it. */
export interface Room {
  total: number;
  /** Of destinations that nothing is sent to. */
  ofDestination: number;
  /** Of the others, silent ones among them. */
  rooms: Record<string, number>;
  fullEndpoints: string[];
  fullOrgs: string[];
}

/** Counts what is in flight, so that destinations which do not answer leave places to those which do, and no organization takes them all. */
interface DestinationPlaces {
  take(destination: Destination): void;
  /** Gives a place back, and says whether the destination answered. */
  giveBack(destination: Destination, isSilent: boolean): void;
  room(): Room;
}

const MAX_SILENT_KNOWN = 1000;

export function openDestinationPlaces(limits: PlaceLimits): DestinationPlaces {
  const ofEndpoint = new Map<string, number>();
  const ofOrg = new Map<string, number>();
  const silent = new LRUCache<string, true>({ max: MAX_SILENT_KNOWN });
  let taken = 0;

  const add = (counts: Map<string, number>, key: string, change: number) => {
    const count = (counts.get(key) ?? 0) + change;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
  };
  const roomOf = (endpointId: string) => {
    const limit = silent.has(endpointId) ? limits.ofSilentDestination : limits.ofDestination;
    return Math.max(0, limit - (ofEndpoint.get(endpointId) ?? 0));
  };

  return {
    take({ endpointId, orgId }) {
      taken += 1;
      add(ofEndpoint, endpointId, 1);
      add(ofOrg, orgId, 1);
    },
    giveBack({ endpointId, orgId }, isSilent) {
      taken -= 1;
      add(ofEndpoint, endpointId, -1);
      add(ofOrg, orgId, -1);
      if (isSilent) silent.set(endpointId, true);
      else silent.delete(endpointId);
    },
    room() {
      const known = new Set([...ofEndpoint.keys(), ...silent.keys()]);
      const rooms = Object.fromEntries([...known].map((endpointId) => [endpointId, roomOf(endpointId)]));
      return {
        total: Math.max(0, limits.total - taken),
        ofDestination: limits.ofDestination,
        rooms,
        fullEndpoints: Object.keys(rooms).filter((endpointId) => rooms[endpointId] === 0),
        fullOrgs: [...ofOrg].filter(([, count]) => count >= limits.ofOrg).map(([orgId]) => orgId),
      };
    },
  };
}
