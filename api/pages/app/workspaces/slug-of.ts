import { validationError } from '../../../../domain/errors.ts';
import { SLUG } from '../../../../domain/limits.ts';

/** Makes a slug from a name: `Día & Co.` → `dia-co`. Throws VALIDATION_ERROR. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const slug = plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG.maxLength)
    .replaceAll(/^-|-$/g, '');
  if (!SLUG.pattern.test(slug)) throw validationError([{ path: 'slug', message: 'can’t be made from this name: write one' }]);
  return slug;
}
