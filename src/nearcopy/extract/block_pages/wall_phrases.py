"""What walls and notices say to their readers, in words that news seldom has, parted by |."""

from collections.abc import Mapping

WALLS: Mapping[str, str] = {
    "block page": """
        access denied|you don't have permission to access|access to this page has been denied
        |verify you are human|verify that you are human|verify you are a human
        |confirm you are human|verify that you're not a robot|verify you are not a robot
        |prove you are not a robot|i'm not a robot|i am not a robot|are you a robot
        |checking your browser|checking if the site connection is secure|unusual activity from your
        |unusual traffic from|your ip address|your request has been blocked
        |your access has been blocked|you have been blocked|has been temporarily blocked
        |complete the captcha|solve the captcha|enter the characters|complete the security check
        |needs to review the security of your|ray id|performance security by cloudflare
        |403 forbidden|too many requests|automated access|suspicious activity from your
        |this request was blocked|ihre ip adresse|zugriff verweigert|dass sie kein roboter sind
        |ich bin kein roboter|ungewöhnlichen datenverkehr|ihre anfrage wurde blockiert
        |votre adresse ip|accès refusé|que vous n'êtes pas un robot|je ne suis pas un robot
        |que vous êtes humain|su dirección ip|acceso denegado|que no eres un robot|no soy un robot
        |que eres humano|que no es un robot|twój adres ip|adresu ip z którego|nie jestem robotem
        |odmowa dostępu|że nie jesteś robotem|ip adresiniz|robot olmadığınızı|ben robot değilim
        |erişim engellendi|insan olduğunuzu|أنك لست روبوت|أنا لست روبوت|لست برنامج روبوت|أنك إنسان
        |تم رفض الوصول|تم حظر عنوان|عنوان ip الخاص بك|что вы не робот|я не робот|доступ запрещен
        |доступ ограничен|ваш ip адрес|с вашего ip|что вы человек|请输入验证码|验证码错误
        |访问被拒绝|您的访问被|您的ip|确认您不是机器人|我不是机器人|安全验证|人机验证
        |you must be logged in|logged in to view|to view this video|viewer discretion is advised
        |sie müssen angemeldet sein|vous devez être connecté|debes iniciar sesión
        |musisz być zalogowany|giriş yapmalısınız|يجب تسجيل الدخول|you're not a robot
        |you are not a robot|you are a human|you're a human|you were a bot|automated requests
        |automated queries|unusual activity|security service to protect|triggered the security
        |incident id|support id|request unsuccessful|requested url|consult with your administrator
        |verify access|verifying your|access to this resource|access to this site
        |access to this server|bot detection|sent too many|protected by recaptcha
        |ungewöhnliche aktivitäten|sicherheitsüberprüfung|zu viele anfragen|sie ein mensch sind
        |trop de requêtes|activité inhabituelle|vérification de sécurité|vous êtes bien humain
        |actividad inusual|demasiadas solicitudes|verificación de seguridad
        |comprobando tu navegador|nietypowy ruch|zbyt wiele zapytań|że jesteś człowiekiem
        |sprawdzanie przeglądarki|olağandışı trafik|çok fazla istek|güvenlik doğrulaması
        |güvenlik kontrolü|نشاط غير عادي|التحقق من أنك|проверка браузера|проверяем ваш
        |подозрительная активность|слишком много запросов|подозрительный трафик|访问过于频繁
        |请稍后再试|异常流量|验证您是|you will be redirected|request is being verified
        |human verification|complete the puzzle|contact the site owner|have the rights to see
        |connection was flagged|prüfen ihren browser|подозрительные запросы|请完成验证|网络存在异常
    """,
    "error page": """
        404 not found|page not found|page you are looking for|page you were looking for
        |page you requested|page you're looking for|page does not exist|page cannot be found
        |page can't be found|page no longer exists|return to the homepage|go back to the homepage
        |internal server error|bad gateway|service unavailable|temporarily unavailable please
        |please try again later|something went wrong|reload the page|this video has failed to load
        |down for maintenance|seite nicht gefunden|seite wurde nicht gefunden|zurück zur startseite
        |gesuchte seite|seite existiert nicht|diese seite ist nicht verfügbar|page introuvable
        |page que vous recherchez|page que vous cherchez|page demandée|retour à l'accueil
        |página no encontrada|página que buscas|página que busca|página que está buscando
        |volver al inicio|página solicitada|nie znaleziono strony|strona której szukasz
        |strona nie istnieje|strony nie znaleziono|wróć na stronę główną|przejdź do strony głównej
        |sayfa bulunamadı|aradığınız sayfa|ana sayfaya dön|الصفحة غير موجودة|الصفحة التي تبحث
        |الصفحة المطلوبة غير|العودة إلى الصفحة الرئيسية|страница не найдена|запрашиваемая страница
        |вернуться на главную|такой страницы не существует|页面不存在|您访问的页面|返回首页
        |页面未找到|找不到页面|page could not be found|page couldn't be found|page isn't available
        |page is not available|page may have been|page has been removed|page has moved
        |may have been removed|may have been moved|link you followed|nothing was found
        |could not find the page|couldn't find the page|couldn't find that page|check the url
        |please refresh|please reload|refresh the page|page does not load|playback error
        |video is not available|video is unavailable|technical difficulties|undergoing maintenance
        |seite konnte nicht|leider nicht gefunden|seite neu laden|später noch einmal
        |versuchen sie es später|ist ein fehler aufgetreten|page n'existe|une erreur est survenue
        |réessayer plus tard|réessayez plus tard|hemos podido encontrar|página no existe
        |ha ocurrido un error|inténtalo de nuevo|inténtelo de nuevo|nie istnieje lub
        |została usunięta|wystąpił błąd|spróbuj ponownie|strona niedostępna|artık mevcut değil
        |bir hata oluştu|tekrar deneyin|daha sonra tekrar|الصفحة التي طلبتها|غير متاحة حاليا
        |حدث خطأ|حاول مرة أخرى|произошла ошибка|попробуйте позже|страница удалена
        |страница недоступна|页面无法|加载失败|出错了|bad request|could not process your
        |check back soon|you requested has expired|wurde verschoben oder|zur startseite
        |page est introuvable|página ya no existe|cambiado de dirección|nie znaleźliśmy takiej
        |do strony głównej|网页不存在|已被删除
    """,
    "script notice": """
        enable javascript|javascript is disabled|javascript to be enabled
        |javascript must be enabled|requires javascript|javascript enabled|turn on javascript
        |javascript is not enabled|enable cookies|cookies must be enabled|cookies are disabled
        |your browser is out of date|your browser does not support|update your browser
        |upgrade your browser|javascript aktivieren|aktivieren sie javascript
        |javascript ist deaktiviert|einen anderen browser|ihr browser unterstützt|ihren browser
        |activer javascript|javascript est désactivé|activez javascript|votre navigateur
        |habilitar javascript|active javascript|habilite javascript|su navegador|tu navegador
        |włącz javascript|włączyć javascript|włączona obsługa javascript|twoja przeglądarka
        |javascript'i etkinleştirin|javascript etkin|tarayıcınız|tarayıcınızda|تفعيل جافا سكريبت
        |تمكين جافا سكريبت|تفعيل javascript|تمكين javascript|متصفحك|включите javascript
        |javascript отключен|включить javascript|ваш браузер|вашем браузере|启用javascript
        |开启javascript|您的浏览器|浏览器版本过低|enable js|allow cookies|requires cookies
        |browser is not supported|unsupported browser|refresh your browser|supported browser
        |cookies disabled|accept cookies in|disable any ad|browser doesn't support|browser settings
        |aktivieren sie cookies|aktivieren sie bitte|browser wird nicht|ihrem browser
        |activer les cookies|autoriser les cookies|navigateur n'est pas|mettre à jour votre
        |habilitar las cookies|habilita las cookies|activa javascript|navegador no es compatible
        |włącz obsługę|zaktualizuj przeglądarkę|obsługę plików|twojej przeglądarce
        |tarayıcınızı güncelleyin|çerezleri etkinleştirin|tarayıcınız desteklenmiyor|تحديث المتصفح
        |متصفحك لا يدعم|обновите браузер|включите cookie|请升级浏览器|请启用|javascript seems
        |turned off in your|update your settings
    """,
    "ad blocker notice": """
        ad blocker|your adblocker|disable your ad|turning off your ad|using an ad blocker
        |you're blocking ads|you are blocking ads|whitelist our site|adblock plus|ihren adblocker
        |ihren werbeblocker|adblocker deaktivieren|werbeblocker deaktivieren|deaktivieren sie ihren
        |adblocker aktiv|désactiver votre bloqueur|bloqueur de publicité|un adblock|votre bloqueur
        |bloqueador de anuncios|desactiva tu bloqueador|tu bloqueador|wyłącz adblocka
        |wyłącz adblock|korzystasz z adblocka|blokowania reklam|adblocka|reklam engelleyici
        |reklam engelleyicinizi|مانع الإعلانات|مانع إعلانات|блокировщик рекламы
        |отключите блокировщик|отключите adblock|广告拦截|utilisez un adblock|utilisez un bloqueur
        |pouvez le désactiver|désactiver juste pour ce site|formats publicitaires|dzięki reklamom
        |reklamy nie są|udostępniać ci nasze|mit adblock|usas un bloqueador
        |reklam engelleyici kullanıyorsunuz
    """,
    "consent wall": """
        we use cookies|request cookies|uses cookies|use of cookies|accept cookies
        |accept all cookies|accept all|reject all|these cookies|cookies on your|cookie settings
        |cookie policy|cookie preferences|third party cookies|stores cookies|we value your privacy
        |our privacy policy|privacy policy|privacy notice|before you continue|we and our partners
        |our partners store|consent to the use|manage preferences|manage your privacy
        |your personal data|your personal information|your consent|you consent to
        |general data protection regulation|wir verwenden cookies|verwendet cookies
        |verwenden cookies|website cookies|webseite cookies|nutzt cookies|ermöglichen cookies
        |verwendung von cookies|speicherung von cookies|alle cookies|cookie einstellungen
        |datenschutzerklärung|datenschutzbestimmungen|datenschutzrichtlinie|datenschutzrichtlinien
        |ihre einwilligung|ihre zustimmung|ihrer daten|ihrer persönlichen daten|alle akzeptieren
        |akzeptieren und schließen|wir und unsere partner|informationen über sie
        |unsere datenschutzerklärung|unserer datenschutzerklärung|datenschutz grundverordnung
        |nous utilisons des cookies|utilise des cookies|utilisation de cookies|accepter les cookies
        |utilisation des cookies|tout accepter|tout refuser|nos partenaires|vos données
        |votre consentement|vie privée|politique de confidentialité|accepter et fermer
        |informations techniques|usamos cookies|utilizamos cookies|utiliza cookies|uso de cookies
        |aceptar todo|aceptar todas|aceptar cookies|política de cookies|política de privacidad
        |su consentimiento|tu consentimiento|nuestros socios|sus datos|tus datos
        |używamy plików cookie|używa plików cookie|plików cookies|pliki cookies|pliki cookie
        |plików cookie|polityka prywatności|polityce prywatności|polityki prywatności
        |politykę prywatności|przetwarzania danych|przetwarzanie danych|danych osobowych|twoje dane
        |twoich danych|twoje zgody|twoją zgodę|nasi partnerzy|naszych partnerów|wycofać zgodę
        |zaakceptuj i|akceptuję|çerez kullanıyoruz|çerezler|çerezlerden|çerezleri
        |çerez politikasını|çerez politikası|gizlilik politikası|gizlilik politikasını
        |kişisel verilerinizin|tümünü kabul et|ملفات تعريف الارتباط|ملفات الارتباط|سياسة الخصوصية
        |بياناتك الشخصية|قبول الكل|الموافقة على جميع|мы используем cookie|мы используем файлы
        |использует файлы cookie|файлы cookie|файлов cookie|политика конфиденциальности
        |политикой конфиденциальности|ваших персональных данных|принять все|принять и закрыть
        |我们使用cookie|使用cookie|接受所有|隐私政策|全部接受|blocking any or all cookies
        |without cookies|cookies in your browser|cookies in|externen inhalt|externer inhalt
        |externe inhalte|personenbezogene daten an|mit einem klick anzeigen|ihre persönlichen daten
        |schutz ihrer|arten von daten|ihre rechte bezüglich|contenu externe|contenus externes
        |vos données personnelles|contenido externo|contenidos externos|sus datos personales
        |tus datos personales|treści zewnętrzne|podmioty trzecie|twoje zgody na|twojej zgody
        |dane osobowe|przetwarzać twój|przetwarzać twoje|przetwarzane w|administratorem danych
        |administratorów danych|administratora danych|administratorem twoich|prawo do sprzeciwu
        |plikach cookies|zaufani partnerzy|zaufanych partnerów|naszych stronach|wyrazisz zgodę
        |personalizację treści|przetwarzamy tylko|dane przetwarzamy|zgadzasz się na|harici içerik
        |kişisel verileriniz|المحتوى الخارجي|بياناتك|also use cookies|use cookies to
        |may use cookies|use cookies and|storing of cookies|by clicking accept|agree to our
        |terms of service|privacy settings|similar technologies|data protection laws
        |mit der nutzung|stimmst du|ähnliche technologien|technologies similaires|aceptas el
        |acepta el|aceptas nuestra|tecnologías similares|zgodę na używanie|kabul etmiş|باستمرارك في
        |продолжая пользоваться|продолжая использовать|вы соглашаетесь|同意我们|继续使用
        |cookies on this site|necessary cookies|ad free experience|besoin de votre accord
        |permiso para usar cookies|kullanılmaktadır kabul
    """,
    "paywall": """
        subscribe to continue|subscribe to read|subscription to continue|to continue reading
        |continue viewing content|already a subscriber|already subscribe|if you are a subscriber
        |are a subscriber|print subscriber|subscribers click|subscribers only|for subscribers
        |subscriber account|your subscription|digital subscription|purchase a subscription
        |unlimited access|full access|free access|free views|free articles|complimentary access
        |subscribe now|subscribe today|log in to read|sign in to read|please sign in|please log in
        |sign in below|create an account|create a free account|register now|register here
        |once registered|log in sign up|cancel anytime|your digital subscription
        |upgrade your subscription|access members receive|for all access|subscribing to our
        |digital subscriber|this article is reserved for|start your free trial|take a free trial
        |jetzt weiterlesen|diesen artikel zu lesen|probemonat|um weiterzulesen|weiterlesen mit
        |plus weiterlesen|jetzt abonnieren|bitte melden sie sich an|melden sie sich an
        |sie sich anmelden|ich mich anmelden|noch keinen zugang|registrieren sie sich
        |bereits abonnent|als abonnent|für abonnenten|abonnenten vorbehalten|plus abonnenten
        |bezahlpflichtigen artikel|bezahlpflichtige artikel|sie sich eingeloggt
        |benutzernamen und passwort|passwort vergessen|ihre e mail|digitalen archiv|probeabo
        |plus zugang|benutzerkonto|jederzeit kündbar|réservé aux abonnés|réservé à nos abonnés
        |pour lire la suite|déjà abonné|abonnez vous|poursuivre votre lecture|connectez vous
        |créer un compte|sans engagement|contenido exclusivo|solo para suscriptores
        |para suscriptores|suscríbete para|suscríbete ahora|suscríbase|para seguir leyendo
        |ya eres suscriptor|inicia sesión|regístrate|acceso digital|tylko dla prenumeratorów
        |dla subskrybentów|aby czytać dalej|czytaj dalej|wykup dostęp|zaloguj się|masz już konto
        |masz już prenumeratę|aby przeczytać|zarejestruj się|okumaya devam etmek için|abone olun
        |aboneler için|giriş yapın|üye olun|للمشتركين فقط|لمتابعة القراءة|اشترك الآن|سجل الدخول
        |تسجيل الدخول|لقراءة المزيد اشترك|только для подписчиков|доступно подписчикам
        |чтобы продолжить чтение|оформите подписку|уже есть подписка|войдите в|зарегистрируйтесь
        |订阅后|仅限订阅|继续阅读|请先登录|登录后|立即订阅|会员专享|get full access
        |per week for the first|per month for the first|for the first month|first time subscribers
        |reduced price for|we accept visa|with no ads|current subscriber|current print subscriber
        |not a subscriber|print subscription|online subscription|subscription is required
        |registered users can|full trial|free trial|trial request|on another device
        |uneingeschränkt zur verfügung|auf einem anderen gerät|nur auf einem gerät|loggen sie sich
        |loggen sich|monatlich kündbar|gratis testen|kostenlos testen|sur un autre appareil
        |en otro dispositivo|leer sin límites|sin suscripción|tu suscripción|según la suscripción
        |te suscribas|me suscribo|suscripción digital|notas gratis|na innym urządzeniu
        |nieograniczony dostęp|başka bir cihazda|sınırsız erişim|على جهاز آخر|وصول غير محدود
        |на другом устройстве|registered users|registered readers|register or log in
        |log in or register|log in to continue|sign in to continue|register to continue
        |register for free|to keep reading|become a member|members only|unlock this|premium content
        |premium article|this article is for|exclusive to subscribers|exclusively for subscribers
        |article limit|limit of free|remaining articles|articles remaining|articles this month
        |free articles left|start your subscription|start a free|gift this article|subscribe for
        |subscribe to get|registrierte nutzer|kostenlos registrieren|jetzt registrieren
        |jetzt testen|exklusiv für|nur für abonnenten|artikel freischalten|premium artikel
        |il vous reste|réservée aux abonnés|la suite est réservée|article à lire|offre d'abonnement
        |accès illimité|contenu réservé|lire la suite|identifiez vous|vous abonner
        |exclusivo para suscriptores|suscríbete por|acceso ilimitado|hazte socio|hazte premium
        |inicia sesión para|regístrate gratis|límite de artículos|kup dostęp|cały artykuł
        |pełny dostęp|dostęp do treści|dalsza część|zaloguj się lub|subskrybuj|giriş yapmanız
        |haberin devamı|devamını okumak|devamı için|abone ol|şimdi abone|üyelerimize özel
        |abonelere özel|ücretsiz üye|للاشتراك|اشترك للاطلاع|محتوى حصري|لقراءة المقال|متاح للمشتركين
        |только по подписке|доступен только|войти или|полный доступ|подписку чтобы|уже подписаны
        |付费内容|阅读全文|开通会员|登录查看|剩余内容|订阅解锁|exclusively to members
        |available to members|not logged in|for free or pay|mitglied werden|für mitglieder
        |réservé à nos membres|vous pour continuer|tamamını okumak|üye girişi|hesabınızla giriş
        |登录后查看
    """,
    "region notice": """
        not available in your region|not available in your country|not available in your location
        |unavailable in your region|unavailable in your country|unavailable for legal reasons
        |unavailable in most european|in ihrem land nicht|in ihrer region nicht
        |pas disponible dans votre|no está disponible en tu|no está disponible en su
        |niedostępna w twoim|niedostępne w twoim|ülkenizde|bölgenizde|غير متاح في منطقتك
        |غير متوفر في بلدك|غير متاح في بلدك|недоступен в вашей|недоступен в вашем
        |недоступно в вашей|недоступно в вашем|在您所在的地区|您所在的国家|unavailable in your area
        |not available in your area|available in your area|aus lizenzrechtlichen
        |in deinem land nicht|twoim kraju|twoim regionie|вашей стране|вашем регионе
        |available in your country|available in your region
    """,
}
