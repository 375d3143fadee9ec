const REPLACED = 'parts-replaced';

/** Calls `act` now, and each time after parts of the page were replaced. */
export function whenShown(act: () => void): void {
  act();
  document.addEventListener(REPLACED, act);
}

/**
 * Calls `act` once for each matching element: now, or as soon as the element appears.
 */
export function whenFound<Found extends HTMLElement>(selector: string, act: (element: Found) => void): void {
  const known = new WeakSet<Found>();
  whenShown(() => {
    for (const element of document.querySelectorAll<Found>(selector)) {
      if (known.has(element)) continue;
      known.add(element);
      act(element);
    }
  });
}

/** Notifies `whenShown` and `whenFound`. Call this after each replacement of parts of the page. */
export function announceReplaced(): void {
  document.dispatchEvent(new Event(REPLACED));
}
