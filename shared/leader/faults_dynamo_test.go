package leader

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/dynamotest"
	dynamoengine "github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/engine"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// wire is a connection to an engine of DynamoDB. Of a process, each request that writes is a step: what the store does in several can
// be cut short between them.
type wire struct {
	of     *process
	engine http.Handler
}

func (w wire) Do(request *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	ask := func() error {
		w.engine.ServeHTTP(answer, request)
		return nil
	}
	_, what, _ := strings.Cut(request.Header.Get("X-Amz-Target"), ".")
	if w.of == nil || what == "GetItem" || what == "BatchGetItem" || what == "Query" {
		_ = ask()
		return answer.Result(), nil
	}
	if err := w.of.step(true, "request "+what, ask); err != nil {
		return nil, err
	}
	return answer.Result(), nil
}

func (w wire) client() dynamodbiface.DynamoDBAPI {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String("http://in.process"), Region: "eu-central-1", HTTPClient: w, Retryer: aws.NopRetryer{},
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
}

// On DynamoDB a process dies after each of its requests that write: whoever is given a message for the n-th time comes one request further
// than the one before. What is left in the end is what the other engine has when nobody dies.
func TestKilledAtEveryRequestToDynamoDB(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, files, handler := newFairground(), newFiles(t), dynamoengine.New()
		some := []act{acts[0], acts[2]}
		var want string
		files.with(nil, func(kept *embedded.Store) {
			s := newStage(f, kept, 1)
			s.perform(t, some)
			want = f.mustInventory(t, kept)
		})

		unhurt := wire{engine: handler}.client()
		tables := dynamotest.CreateTables(t, unhurt, "../../template.yaml")
		kept := dynamo.Open(unhurt, tables)
		s := newStage(f, kept, 1)
		s.open = func(p *process) engine { return dynamo.Open(wire{p, handler}.client(), tables) }
		requests, killedAt := make(map[*process]int), make(map[string]bool)
		s.befalls = func(one *step) fate {
			if !strings.HasPrefix(one.name, "request ") {
				return done
			}
			requests[one.of]++
			at := fmt.Sprint(one.of.got[0].body, " ", requests[one.of])
			if killedAt[at] {
				return done
			}
			killedAt[at] = true
			return killedAfter
		}
		s.perform(t, some)
		if got := f.mustInventory(t, kept); got != want {
			t.Error(difference(got, want))
		}
		t.Logf("%d deaths", len(killedAt))
	})
}
