/* The thread that makes the reports, on its own connection to the database. They take turns. */
import { setPriority } from 'node:os';
import { answerTasks } from '../../storage/answer-tasks.ts';
import { makeReport, type ReportTask } from './report-tasks.ts';
import { type ReportId, reportsOn } from './reports.ts';

/** As the command `nice` has it by default. */
const reportNiceness = 10;

// Where there are few cores, requests come first. Only Linux has a priority for each thread; elsewhere this would be the
// priority of the whole service.
if (process.platform === 'linux') setPriority(reportNiceness);

answerTasks({ applicationName: 'countersign reports', isInOrder: false }, (database) => {
  const reports = reportsOn(database);
  return (name, argument) => makeReport(reports, name as ReportId, argument as ReportTask);
});
