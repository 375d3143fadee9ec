import { validationError } from '../../../../domain/errors.ts';
import { SLUG } from '../../../../domain/limits.ts';

/** A slug made from a name: `Día & Co.` is `dia-co`. Throws VALIDATION_ERROR if nothing is left. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const slug = plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG.maxLength)
    .replaceAll(/^-|-$/g, '');
  if (!SLUG.pattern.test(slug)) throw validationError([{ path: 'slug', message: 'can’t be made from this name: write one' }]);
  return slug;
}
