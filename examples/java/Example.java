import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.SeasonsApi;
import org.openapitools.client.api.TeamsApi;
import org.openapitools.client.model.CreateTeam;
import org.openapitools.client.model.ErrorEnvelope;

public class Example {
  public static void main(String[] arguments) throws Exception {
    String authorization = "Bearer " + System.getenv("API_KEY");
    ApiClient client = new ApiClient();
    client.updateBaseUri("http://localhost:3000");
    client.setRequestInterceptor(request -> request.setHeader("Authorization", authorization));

    TeamsApi teams = new TeamsApi(client);
    System.out.println(teams.listTeams(null, 100, null, null, null, null, null).getTotal() + " teams");

    String season = new SeasonsApi(client).listSeasons(null, null, null, null).getData().get(0).getId();
    CreateTeam team = new CreateTeam().name("Lakeside Owls").season(season);
    System.out.println("created " + teams.createTeam(team, UUID.randomUUID().toString()).getName());

    try {
      teams.createTeam(new CreateTeam().name("").season(season), null);
    } catch (ApiException exception) {
      ErrorEnvelope error = client.getObjectMapper().readValue(exception.getResponseBody(), ErrorEnvelope.class);
      System.out.println("error " + error.getError());
    }
  }
}
