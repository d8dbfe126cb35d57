import type { Event } from "../../../core/task/event.ts";
import type { Log } from "../../../ports/log.ts";
import type { EventStore, LedgerStore, OutboxStore, ProjectStore, ScheduleStore, Store } from "../../../ports/store.ts";
import type { PeopleStore } from "../../../ports/store-people.ts";
import type { AgentStore } from "../../../ports/store-agents.ts";
import * as admission from "./admission.ts";
import { commit, createTask } from "./commit.ts";
import { costs, spent } from "./money/costs.ts";
import type { Differences } from "./differences.ts";
import { getDocument } from "./tables/documents.ts";
import * as events from "./tables/events.ts";
import { listChangeRequests } from "./tables/change-requests.ts";
import { findIds, shortenIds } from "./find-ids.ts";
import * as findings from "./tables/findings.ts";
import * as ledger from "./tables/ledger.ts";
import * as marks from "./tables/schedule-progress.ts";
import * as outbox from "./tables/outbox.ts";
import * as parking from "./tables/parked-agents.ts";
import * as people from "./tables/people.ts";
import * as quality from "./tables/quality.ts";
import * as projects from "./tables/projects.ts";
import * as reservations from "./money/reservations.ts";
import * as runs from "./tables/runs.ts";
import type { Db } from "./schema.ts";
import { countMatching } from "./tables/task-search.ts";
import * as tasks from "./tables/tasks.ts";
import { createWriter, type Writer } from "./writer.ts";

export interface SqlStoreParams {
  readonly db: Db;
  readonly differences: Differences;
  readonly log: Log;
  readonly lockTimeoutMs: number;
  /** Operations that each database implements itself. */
  readonly upkeep: Pick<Store, "checkIntegrity" | "backup" | "close">;
}

/** A store on any SQL database. Every method is one transaction. */
export function createSqlStore({ db, differences, log, lockTimeoutMs, upkeep }: SqlStoreParams): Store {
  const listeners = new Set<Listener>();
  const { write, idle } = createWriter({ db, differences, publish, lockTimeoutMs });

  function publish(news: readonly Event[]): void {
    for (const listener of listeners) {
      try {
        listener(news);
      } catch (error) {
        log.error("an event listener failed", { error: String(error) });
      }
    }
  }

  return {
    tasks: {
      createTask: (params) => write((tx, record) => createTask(tx, params, record)),
      commit: (params) => write((tx, record) => commit(tx, params, record)),
      admit: (limits) => write((tx) => admission.admit(tx, limits)),
      takeRun: (id, at) => write((tx) => runs.takeRun(tx, id, at)),
      updateRun: (lease, patch) => write((tx) => runs.updateRun(tx, lease, patch)),
      holdsLease: (lease) => runs.holdsLease(db, lease),
      getTask: (id) => tasks.getTask(db, id),
      getTaskByKey: (key) => tasks.getTaskByKey(db, key),
      findTaskIds: (prefix) => findIds(db, "task", prefix),
      shortenIds: (kind, ids) => shortenIds(db, kind, ids),
      listTasks: (query) => tasks.listTasks(db, query),
      listEndedTaskIds: (since, until) => tasks.listEndedTaskIds(db, since, until),
      getRun: (id) => runs.getRun(db, id),
      findRunIds: (prefix) => findIds(db, "run", prefix),
      listRuns: (query) => runs.listRuns(db, query),
      listEndedRuns: (period) => runs.listEndedRuns(db, period),
      listOpenRuns: () => runs.listOpenRuns(db),
      listChecks: (task) => findings.listChecks(db, task),
      listArtifacts: (task) => findings.listArtifacts(db, task),
      getDocument: (task, kind, version) => getDocument(db, task, kind, version),
      listOverdue: (at, limit) => tasks.listOverdue(db, at, limit),
      listChangeRequests: (ids) => listChangeRequests(db, ids),
      deleteTask: (id, event) =>
        write(async (tx, record) => {
          await tasks.deleteTask(tx, id);
          await record([event]);
        }),
      countTasks: () => tasks.countTasks(db),
      countMatching: (filter) => countMatching(db, filter),
    },
    events: eventStore(db, write, listeners),
    outbox: outboxStore(db, write),
    schedules: scheduleStore(db, write),
    ledger: ledgerStore(db, write),
    projects: projectStore(db, write),
    agents: agentStore(db, write),
    people: peopleStore(db, write),
    money: {
      costs: (query) => costs(db, query),
      spent: (query) => spent(db, query),
      listUse: (limits) => reservations.listUse(db, limits),
      reserve: (lease, request) => write((tx) => reservations.reserve(tx, lease, request)),
    },
    quality: { readFacts: (query) => quality.readFacts(db, query) },
    checkIntegrity: () => upkeep.checkIntegrity(),
    backup: (file) => upkeep.backup(file),
    async close() {
      await idle();
      await upkeep.close();
    },
  };
}

type Write = Writer["write"];
type Listener = (events: readonly Event[]) => void;

function eventStore(db: Db, write: Write, listeners: Set<Listener>): EventStore {
  return {
    appendEvents: (drafts) => write((_tx, record) => record(drafts)),
    appendWithNotices: ({ events: drafts, notices }) =>
      write(async (tx, record) => {
        await outbox.insertNotices(tx, notices);
        await record(drafts);
      }),
    listEvents: (query) => events.listEvents(db, query),
    listEventsIn: (period, types) => events.listEventsIn(db, period, types),
    listDecisions: (query) => events.listDecisions(db, query),
    lastEventId: () => events.lastEventId(db),
    onEvents(listener) {
      // Wrapped, so that a function that is registered twice can be unregistered separately.
      const registration: Listener = (news) => listener(news);
      listeners.add(registration);
      return () => listeners.delete(registration);
    },
  };
}

function outboxStore(db: Db, write: Write): OutboxStore {
  return {
    dueNotices: (at, limit) => outbox.dueNotices(db, at, limit),
    listTaskNotices: (task) => outbox.listTaskNotices(db, task),
    findFailure: (channel, names) => outbox.findFailure(db, channel, names),
    markDelivered: (id, at) => write((tx) => outbox.markDelivered(tx, id, at)),
    markUndelivered: (id, error, nextAt) => write((tx) => outbox.markUndelivered(tx, id, error, nextAt)),
    dropNotice: (id, why) => write((tx) => outbox.dropNotice(tx, id, why)),
  };
}

function scheduleStore(db: Db, write: Write): ScheduleStore {
  return {
    listProgress: (project) => marks.listProgress(db, project),
    dropProgress: (mark) => write((tx) => marks.dropProgress(tx, mark)),
    saveProgress: (progress, { events: drafts, notices }) =>
      write(async (tx, record) => {
        await marks.saveProgress(tx, progress);
        await outbox.insertNotices(tx, notices);
        await record(drafts);
      }),
  };
}

function ledgerStore(db: Db, write: Write): LedgerStore {
  return {
    saveProposals: (proposals) => write((tx) => ledger.saveProposals(tx, proposals)),
    listProposals: (query) => ledger.listProposals(db, query),
    updateProposal: (id, patch) => write((tx) => ledger.updateProposal(tx, id, patch)),
    saveRule: (rule, event) =>
      write(async (tx, record) => {
        await ledger.saveRule(tx, rule);
        await record([event]);
      }),
    listRules: (query) => ledger.listRules(db, query),
    removeRule: (id, event) =>
      write(async (tx, record) => {
        const isRemoved = await ledger.removeRule(tx, id);
        if (isRemoved) await record([event]);
        return isRemoved;
      }),
  };
}

function projectStore(db: Db, write: Write): ProjectStore {
  return {
    keepPipeline: (hash, name, text) => write((tx) => projects.keepPipeline(tx, { hash, name, text })),
    getPipeline: (hash) => projects.getPipeline(db, hash),
    keepBaseline: (key, project, result) => write((tx) => projects.keepBaseline(tx, key, project, result)),
    getBaseline: (key, at) => projects.getBaseline(db, key, at),
    saveProject: (project, event) =>
      write(async (tx, record) => {
        await projects.saveProject(tx, project);
        await record([event]);
      }),
    getProject: (name) => projects.getProject(db, name),
    listProjects: () => projects.listProjects(db),
    removeProject: (name, event) =>
      write(async (tx, record) => {
        const removal = await projects.removeProject(tx, name);
        if (removal.kind === "removed") await record([event]);
        return removal;
      }),
  };
}

function agentStore(db: Db, write: Write): AgentStore {
  return {
    getParked: (account) => parking.getParked(db, account),
    listParked: () => parking.listParked(db),
    listWaitingTasks: (account, limit) => parking.listWaitingTasks(db, account, limit),
    requestProbe: (accounts, at, event) =>
      write(async (tx, record) => {
        if (await parking.requestProbe(tx, accounts, at)) await record([event]);
      }),
  };
}

function peopleStore(db: Db, write: Write): PeopleStore {
  return {
    addToken: (token, event) =>
      write(async (tx, record) => {
        const isAdded = await people.addToken(tx, token);
        if (isAdded) await record([event]);
        return isAdded;
      }),
    listTokens: () => people.listTokens(db),
    findToken: (hash) => people.findToken(db, hash),
    removeToken: (name, event) =>
      write(async (tx, record) => {
        const isRemoved = await people.removeToken(tx, name);
        if (isRemoved) await record([event]);
        return isRemoved;
      }),
    addLink: (link) => write((tx) => people.addLink(tx, link)),
    findSignIn: (kind, hash) => people.findSignIn(db, kind, hash),
    redeemLink: (link, session, replaced, event) =>
      write(async (tx, record) => {
        if (!(await people.removeSignIn(tx, "link", link))) return false;
        if (replaced !== null) await people.removeSignIn(tx, "session", replaced);
        await people.addSession(tx, session);
        await record([event]);
        return true;
      }),
    removeSession: (hash, event) =>
      write(async (tx, record) => {
        const isRemoved = await people.removeSignIn(tx, "session", hash);
        if (isRemoved) await record([event]);
        return isRemoved;
      }),
    recallAnswer: (key) => people.recallAnswer(db, key),
    keepAnswer: (key, answer, at) => write((tx) => people.keepAnswer(tx, key, answer, at)),
  };
}
