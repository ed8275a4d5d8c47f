import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { SchedulesModule } from '../schedules/schedules.module.js';
import { TeamsModule } from '../teams/teams.module.js';
import { CalendarLinkRecord, calendarLinkSchema } from './calendar-link.schema.js';
import { CalendarLinksRepository } from './calendar-links.repository.js';
import { CalendarLinksController, CalendarsController } from './calendars.controller.js';
import { CalendarsService } from './calendars.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: CalendarLinkRecord.name, schema: calendarLinkSchema }]),
    OrganizationsModule,
    SchedulesModule,
    TeamsModule,
  ],
  controllers: [CalendarLinksController, CalendarsController],
  providers: [CalendarLinksRepository, CalendarsService],
})
export class CalendarsModule {}
