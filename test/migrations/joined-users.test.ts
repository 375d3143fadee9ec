import { down, up } from '../../migrations/0087_joined_users.ts';
import { upsertUser } from '../../store/users.ts';
import { openApiBed } from '../api/api-bed.ts';
import { aMember } from '../api/pages/app/app-bed.ts';

test('the migration sets joined_at for members and removed members, and for no other users', async () => {
  const bed = await openApiBed();
  const [present, former] = [await aMember(bed, 'member'), await aMember(bed, 'member')];
  const stranger = await upsertUser(bed.gateway.db, { email: 'stranger@example.com', displayName: null });
  const { joined_at: joinedAt } = await bed.patient('memberships').where({ user_id: present.id }).first();
  await bed.api.must(200).delete(`/api/v1/members/${former.id}`);

  await down(bed.patient);
  await up(bed.patient);
  const users = await bed.patient('users').select('id', 'joined_at');
  expect(Object.fromEntries(users.map(({ id, joined_at }) => [id, joined_at]))).toEqual({
    ...{ [present.id]: joinedAt, [former.id]: expect.any(Date), [stranger.id]: null },
  });
  await bed.close();
});
