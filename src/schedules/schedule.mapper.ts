import type { ScheduleResponse } from './schedule.response.js';
import type { ShownSchedule } from './schedules.repository.js';

/** The fields of a schedule that leave; what is unset is left out. */
export function toScheduleResponse(schedule: ShownSchedule): ScheduleResponse {
  const teamId = String(schedule.teamOneId);
  return {
    _id: String(schedule._id),
    organizationId: String(schedule.organizationId),
    teamOneId: teamId,
    teamId,
    ...(schedule.teamTwoId !== undefined && { teamTwoId: String(schedule.teamTwoId) }),
    teamTwoName: schedule.teamTwoName,
    eventType: schedule.eventType,
    eventTitle: schedule.eventTitle,
    startDate: schedule.startDate.toISOString(),
    endDate: schedule.endDate.toISOString(),
    duration: schedule.duration,
    matchupFormat: schedule.matchupFormat,
    teamFormat: schedule.teamFormat,
    isTestGame: schedule.isTestGame,
    isScrimmage: schedule.isScrimmage,
    enableYardage: schedule.enableYardage,
    allowZeroYardStart: schedule.allowZeroYardStart,
    ...(schedule.fieldSizeInYard !== undefined && { fieldSizeInYard: schedule.fieldSizeInYard }),
    overtimeType: schedule.overtimeType,
    ...(schedule.overtimeDuration !== undefined && { overtimeDuration: schedule.overtimeDuration }),
    ...(schedule.locationName !== undefined && { locationName: schedule.locationName }),
    ...(schedule.placeId !== undefined && { placeId: schedule.placeId }),
    ...(schedule.location !== undefined && { location: schedule.location }),
    ...(schedule.practiceNote !== undefined && { practiceNote: schedule.practiceNote }),
    ...(schedule.tournamentId !== undefined && { tournamentId: schedule.tournamentId }),
    createdAt: schedule.createdAt.toISOString(),
    updatedAt: schedule.updatedAt.toISOString(),
  };
}
