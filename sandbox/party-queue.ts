/** What waits, by party. */
export interface PartyQueue<Item> {
  push(party: string, item: Item): void;
  /** The first one of the party whose turn is longest ago. */
  shift(): Item | undefined;
  size(): number;
}

/** A queue in which no party waits for more than one item of each other one, however many those have put into it. */
export function openPartyQueue<Item>(): PartyQueue<Item> {
  /** In the order of their turns. */
  const parties = new Map<string, Item[]>();
  return {
    push(party, item) {
      const items = parties.get(party);
      if (items) items.push(item);
      else parties.set(party, [item]);
    },
    shift() {
      const [first] = parties;
      if (!first) return undefined;
      const [party, items] = first;
      parties.delete(party);
      const item = items.shift();
      if (items.length > 0) parties.set(party, items);
      return item;
    },
    size: () => [...parties.values()].reduce((sum, { length }) => sum + length, 0),
  };
}
