import { createBackup, type BackupParams, type BackupResult } from "../../adapters/stores/backup/backup.ts";
import { restoreBackup, type RestoreParams, type RestoreResult } from "../../adapters/stores/backup/restore.ts";
import { homePaths } from "../../config/files/paths.ts";

export function backUpHome(params: Omit<BackupParams, "db">): Promise<BackupResult> {
  return createBackup({ ...params, db: homePaths(params.home).db });
}

export function restoreHome(params: Omit<RestoreParams, "db">): Promise<RestoreResult> {
  return restoreBackup({ ...params, db: homePaths(params.home).db });
}
