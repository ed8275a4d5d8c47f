import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.SeasonsApi;
import org.openapitools.client.api.TeamsApi;
import org.openapitools.client.model.CreateTeam;
import org.openapitools.client.model.ErrorEnvelope;
import org.openapitools.client.model.TeamResponse;

public class Example {
  public static void main(String[] arguments) throws Exception {
    String authorization = "Bearer " + System.getenv("API_KEY");
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("API").replace("/v1/public-api", ""));
    client.setRequestInterceptor(request -> request.setHeader("Authorization", authorization));

    TeamsApi teams = new TeamsApi(client);
    System.out.println(teams.listTeams(null, 100, null, null, null, null, null).getTotal() + " teams");

    String season = new SeasonsApi(client).listSeasons(null, null, null, null).getData().get(0).getId();
    CreateTeam team = new CreateTeam().name("Lakeside Owls").season(season);
    TeamResponse created = teams.createTeam(team, UUID.randomUUID().toString());
    System.out.println("created " + created.getName());
    teams.deleteTeam(created.getId(), null, null);

    try {
      teams.createTeam(new CreateTeam().name("").season(season), null);
    } catch (ApiException exception) {
      ErrorEnvelope error = client.getObjectMapper().readValue(exception.getResponseBody(), ErrorEnvelope.class);
      System.out.println("error " + error.getError());
    }
  }
}
