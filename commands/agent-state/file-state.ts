import { STORED_FILE_MAX_BYTES } from '../../domain/limits.ts';
import { ActionError, type FileState } from '../../integrations/definition.ts';
import type { StateOwner } from '../../store/kv-entries.ts';
import { deleteStoredFile, findStoredFile, findStoredFileInfo, listStoredFiles, putStoredFile } from '../../store/stored-files.ts';
import { signDownload } from './download-token.ts';
import type { StateHost } from './state-host.ts';
import { withinStorageQuota } from './within-storage-quota.ts';

const LIST_MAX_FILES = 1000;

/** The files of one owner, by path. */
export function openFileState({ db, tokens, config }: StateHost, owner: StateOwner): FileState {
  return {
    read: (path) => findStoredFile(db, owner, path),
    async write(path, file) {
      if (file.content.length > STORED_FILE_MAX_BYTES)
        throw new ActionError(`The file is too large: at most ${STORED_FILE_MAX_BYTES} bytes can be stored.`);
      const quota = config.quotas.storageBytes;
      return withinStorageQuota(quota, () => putStoredFile(db, owner, { path, ...file }, quota));
    },
    delete: (path) => deleteStoredFile(db, owner, path),
    async list(prefix) {
      const found = await listStoredFiles(db, owner, prefix, LIST_MAX_FILES + 1);
      return { files: found.slice(0, LIST_MAX_FILES), truncated: found.length > LIST_MAX_FILES };
    },
    async downloadUrl(path, expiresInSeconds) {
      if (!(await findStoredFileInfo(db, owner, path))) return undefined;
      const expiresAt = new Date(Date.now() + expiresInSeconds * 1000);
      return { url: `${config.platformUrl}/files/${signDownload(tokens, { owner, path, expiresAt })}`, expiresAt };
    },
  };
}
